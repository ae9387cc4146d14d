import type { Database } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import {
  agentCanPayNobody,
  agentsCanPayNobody,
  type OwnerPolicyState,
  type PayeeTimeline,
  payableFrom,
  payeeTimeline,
  type Receivers,
  selectOwnerPolicy,
  selectReceivers,
} from '../../limits/index.ts'
import type { AgentsContext } from '../agents/context.ts'
import type { Agent } from '../agents/store.ts'
import { selectAgentsWithLists } from './payee-lists-store.ts'

const MOST_NAMED = 10
/** Agents in memory at once; few, because lists are long. */
const AGENTS_AT_ONCE = 50

/**
 * The warnings after a change of an owner's payee lists: that they allow no agent any payee, or else which agents have
 * no payee by both lists. An agent whose own lists alone allow no payee gives no warning.
 */
export async function warningsOfOwner(
  database: Database,
  ownerId: Uuid,
  owner: OwnerPolicyState,
  now: Date,
): Promise<string[]> {
  const ofOwner = payeeTimeline(owner, now, owner.isFrozen)
  const receivers = await selectReceivers(database, [ofOwner])
  const from = payableFrom(null, [ofOwner], receivers)
  if (from !== 'now') return [agentsCanPayNobody(from)]
  const sole = solePayee(ofOwner, receivers)
  const warnings: string[] = []
  let after: Uuid | null = null
  for (;;) {
    const agents = await selectAgentsWithLists(database, ownerId, { after, sole, limit: AGENTS_AT_ONCE })
    const lists = agents.map(({ id, ...state }) => ({ id, own: payeeTimeline(state, now, owner.isFrozen) }))
    const ofLists = await selectReceivers(
      database,
      lists.map(({ own }) => own),
    )
    const all = new Set([...receivers, ...ofLists])
    for (const { id, own } of lists) {
      const payable = payableFrom(id, [ofOwner, own], all)
      if (payable === 'now' || payableFrom(id, [own], all) !== 'now') continue
      if (warnings.length === MOST_NAMED) return [...warnings, MORE]
      warnings.push(agentCanPayNobody(id, payable))
    }
    after = agents.at(-1)?.id ?? null
    if (after === null || agents.length < AGENTS_AT_ONCE) return warnings
  }
}

const MORE =
  'More agents of this owner can pay nobody; GET /v1/agents/{agent_id}/policy shows whom each may pay'

/**
 * The only agent that the owner's lists allow and that can be paid, which cannot pay itself; null: there are others.
 */
function solePayee(
  { inForce: { allowedPayees, blockedPayees } }: PayeeTimeline,
  receivers: Receivers,
): Uuid | null {
  if (allowedPayees === null) return null
  const [first, second] = [...allowedPayees].filter(
    id => receivers.has(id) && blockedPayees?.has(id) !== true,
  )
  return second === undefined && first !== undefined ? first : null
}

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
