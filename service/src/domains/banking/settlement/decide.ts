import type { AgentStatus, SettlementSkipReason } from '@batua/contract'
import { type Paise, paise } from '../../../kernel/money.ts'

/** The runs skip a smaller balance; the owner may withdraw it, to the last paisa. */
const MIN_SETTLEMENT_PAISE = paise(100n)

/** The facts about a wallet that a run depends on. */
export interface WalletFacts {
  readonly status: AgentStatus
  /** Whether the owner has a verified bank account. */
  readonly hasAccount: boolean
  readonly balancePaise: Paise
  /** All credits since the first day that is too young to be settled. */
  readonly youngPaise: Paise
}

export type Decision =
  | { readonly kind: 'pay' }
  | { readonly kind: 'skip'; readonly reason: SettlementSkipReason }
  | { readonly kind: 'not_due' }

/**
 * Whether a wallet is paid out, whole. Spending uses the oldest money first, so the balance is what came in last: it
 * contains old money exactly when it exceeds all credits since the cut-off. For a deactivated agent the whole balance
 * is due.
 */
export function decideSettlement(facts: WalletFacts): Decision {
  const { status, hasAccount, balancePaise, youngPaise } = facts
  if (balancePaise <= 0n) return { kind: 'not_due' }
  if (status !== 'deactivated' && balancePaise <= youngPaise) return { kind: 'not_due' }
  if (status === 'frozen') return skip('agent_frozen')
  if (status === 'quarantined') return skip('agent_quarantined')
  if (!hasAccount) return skip('no_verified_bank_account')
  if (balancePaise < MIN_SETTLEMENT_PAISE) return skip('below_minimum')
  return { kind: 'pay' }
}

function skip(reason: SettlementSkipReason): Decision {
  return { kind: 'skip', reason }
}
