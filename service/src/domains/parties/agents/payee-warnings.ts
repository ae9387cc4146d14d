import {
  agentCanPayNobody,
  payableFrom,
  payeeTimeline,
  selectOwnerPolicy,
  selectReceivers,
} from '../../limits/index.ts'
import type { AgentsContext } from './context.ts'
import type { Agent } from './store.ts'

/**
 * The warnings after a change of an agent's payee lists, or after a pending change of them was cancelled: that its own
 * lists, or these together with its owner's, leave no agent that it can pay.
 */
export async function payeeWarnings(
  { database, clock }: Pick<AgentsContext, 'database' | 'clock'>,
  agent: Agent,
): Promise<{ readonly warnings?: string[] }> {
  const owner = await selectOwnerPolicy(database, agent.ownerId)
  const now = clock.now()
  const layers = [owner, agent].map(state => payeeTimeline(state, now, owner.isFrozen))
  const from = payableFrom(agent.id, layers, await selectReceivers(database, layers))
  return from === 'now' ? {} : { warnings: [agentCanPayNobody(agent.id, from)] }
}
