import type { Agent } from '@batua/sdk'
import type { Column } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { Status } from '../../components/status.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useTexts } from '../../language/language.tsx'
import { AgentLink } from '../links.tsx'
import { adminTexts } from '../texts.ts'

/** The columns of every list of agents, for administrators. */
export function useAgentColumns(): readonly Column<Agent>[] {
  const t = useTexts(adminTexts)
  const { tiers } = useTexts(componentTexts)
  return [
    {
      id: 'agent',
      name: t.agent,
      cell: ({ agent_id, name, handle }) => <AgentLink id={agent_id} name={name} detail={`@${handle}`} />,
    },
    { id: 'status', name: t.state, cell: ({ status }) => <Status is={status} /> },
    { id: 'tier', name: t.tier, cell: ({ tier }) => tiers[tier] },
    { id: 'created', name: t.created, cell: ({ created_at }) => <Moment at={created_at} /> },
  ]
}
