import {
  agentCanPayNobody,
  changesPayees,
  type PolicyChange,
  payableFrom,
  payeeTimeline,
  selectOwnerPolicy,
} from '../policies/index.ts'
import type { AgentsContext } from './context.ts'
import type { Agent } from './store.ts'

/** What to warn of after a change of an agent: a payee list that leaves nobody to pay, by itself or with the owner's. */
export async function warningsOfChange(
  { database, clock }: Pick<AgentsContext, 'database' | 'clock'>,
  agent: Agent,
  change: PolicyChange,
): Promise<{ readonly warnings?: string[] }> {
  if (!changesPayees(change)) return {}
  const owner = await selectOwnerPolicy(database, agent.ownerId)
  const now = clock.now()
  const layers = [owner, agent].map(state => payeeTimeline(state, now, owner.isFrozen))
  const from = payableFrom(agent.id, layers)
  return from === 'now' ? {} : { warnings: [agentCanPayNobody(agent.id, from)] }
}
