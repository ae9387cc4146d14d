import type { Agent } from '@batua/sdk'
import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { SectionName } from '../api/search.ts'

/** What the address says of the page of one agent: the section, and what the section shows. */
export interface AgentSearch {
  readonly section?: SectionName | undefined
  readonly type?: 'pay_out' | 'pay_in' | 'fund' | 'withdraw' | undefined
  readonly status?: 'active' | 'revoked' | 'expired' | undefined
  readonly action?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly days?: 7 | 30 | 90 | undefined
  readonly offset?: number | undefined
}

export interface SectionProps {
  readonly agent: Agent
  readonly search: AgentSearch
  /** The section itself stays. */
  readonly onSearch: (search: Omit<AgentSearch, 'section'>) => void
}

/** The sections of the page of one agent, each loaded when it is opened. A new one needs its name in `api/search.ts` and `agent-texts.ts`. */
export const SECTIONS: Readonly<Record<SectionName, ComponentType<SectionProps>>> = {
  overview: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
  statement: lazyRouteComponent(() => import('./money/statement.tsx'), 'Statement'),
  spending: lazyRouteComponent(() => import('./spending/spending.tsx'), 'Spending'),
  payees: lazyRouteComponent(() => import('./payees/payees.tsx'), 'Payees'),
  changes: lazyRouteComponent(() => import('./changes.tsx'), 'Changes'),
  certificates: lazyRouteComponent(() => import('./certificates/certificates.tsx'), 'Certificates'),
  audit: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
  key: lazyRouteComponent(() => import('./key.tsx'), 'Key'),
}
