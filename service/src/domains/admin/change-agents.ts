import type { BulkResults } from '@batua/contract'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import type { Actor } from '../../operations/facts.ts'
import { changeStates, type StateAct, type StateOutcome } from '../parties/index.ts'
import type { AdminContext } from './context.ts'

type BulkResult = BulkResults['results'][number]

/**
 * Changes the state of many agents in one commit. Each agent succeeds or fails alone; the response keeps their order.
 */
export async function changeAgents(
  { database, clock, vault, ledger }: Pick<AdminContext, 'database' | 'clock' | 'vault' | 'ledger'>,
  actor: Actor,
  agentIds: readonly string[],
  act: Extract<StateAct, 'freeze' | 'quarantine' | 'restore'>,
): Promise<BulkResults> {
  const named = agentIds.map(agentId => ({ agentId, id: parseId('agt', agentId) }))
  const ids = named.flatMap(({ id }) => id ?? [])
  const recording = { actor, vault, now: clock.now() }
  const outcomes = await database.inTransaction(tx => changeStates(tx, ids, act, recording))
  await ledger.awaitCommits(ids)
  return { results: named.map(({ agentId, id }) => bulkResult(agentId, outcomeOf(outcomes, id))) }
}

function outcomeOf(outcomes: ReadonlyMap<Uuid, StateOutcome>, id: Uuid | null): StateOutcome | undefined {
  return id === null ? undefined : outcomes.get(id)
}

function bulkResult(agentId: string, outcome: StateOutcome | undefined): BulkResult {
  if (outcome === undefined) {
    const error = { code: 'not_found', message: 'There is no agent with this id' } as const
    return { agent_id: agentId, status: null, error }
  }
  const { status, refusal } = outcome
  const error = refusal === null ? null : { code: refusal.code, message: refusal.message }
  return { agent_id: agentId, status, error }
}
