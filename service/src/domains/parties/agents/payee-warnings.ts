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
 * What to warn of after an agent's payee lists were changed, or a waiting change of them was cancelled: that nobody is left
 * to pay, by its own lists or together with its owner's.
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
