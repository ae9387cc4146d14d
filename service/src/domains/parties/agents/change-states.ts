import type { AgentStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { AlteredRow } from '../../../db/row-mac.ts'
import type { Caller, OwnerCaller } from '../../../http/caller.ts'
import { type Refusal, raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { FIRST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { actorOf, type Fact, type Recording, recordFacts } from '../../../operations/facts.ts'
import { lockAgentsForChange } from '../../limits/index.ts'
import { requireAgentAccess, requireMayAccess } from './access.ts'
import type { AgentsContext } from './context.ts'
import { stateFact } from './facts.ts'
import { type StoredState, selectActiveIds, selectStates, updateStates } from './state-store.ts'
import { decideState, type StateAct } from './states.ts'
import { type Agent, selectAgent } from './store.ts'

/** The outcome for one agent: its present status, and the refusal if it was not changed. */
export interface StateOutcome {
  readonly status: AgentStatus
  readonly refusal: Refusal | null
  readonly changed: boolean
}

/**
 * Changes the state of each of these agents under the locks of all their accounts, records the changes, and publishes
 * events to their platforms. Each agent succeeds or is refused alone; unknown agents are not in the result.
 */
export async function changeStates(
  tx: Queryable,
  ids: readonly Uuid[],
  act: StateAct,
  { actor, vault, now }: Recording,
): Promise<Map<Uuid, StateOutcome>> {
  await lockAgentsForChange(tx, vault, ids)
  const outcomes = new Map<Uuid, StateOutcome>()
  const changes: StoredState[] = []
  const facts: Fact[] = []
  for (const stored of await selectStates(tx, ids)) {
    const decided = decideState(stored, act, stored.ownerFrozen)
    if (decided.kind === 'refusal') {
      outcomes.set(stored.id, { status: stored.status, refusal: decided, changed: false })
      continue
    }
    const { status, blockedAs } = decided.state
    const changed = status !== stored.status || blockedAs !== stored.blockedAs
    if (changed) {
      changes.push({ ...stored, ...decided.state })
      facts.push(stateFact(actor, act, stored, decided.state))
    }
    outcomes.set(stored.id, { status, refusal: null, changed })
  }
  const versions = changes.length === 0 ? [] : await updateStates(tx, vault, now, changes)
  await recordFacts(tx, vault, now, facts, versions)
  return outcomes
}

/** Pauses or resumes one agent for its owner or platform. */
async function changeState(
  { database, clock, vault, ledger }: AgentsContext,
  caller: Caller,
  agentRef: string,
  act: 'pause' | 'resume',
): Promise<Agent> {
  // Access is checked before the locks, so that no caller can delay payments of another party's agent.
  const { id, ownerId } = await requireAgentAccess(database, caller, agentRef)
  const recording = { actor: actorOf(caller, ownerId), vault, now: clock.now() }
  const changed = await database.inTransaction(
    async tx => {
      const outcome = (await changeStates(tx, [id], act, recording)).get(id)
      const agent = await selectAgent(tx, id)
      assert(outcome !== undefined && agent !== null, 'agents are never deleted')
      requireMayAccess(caller, agent)
      if (outcome.refusal !== null) raise(outcome.refusal)
      return agent
    },
    { turns: [id] },
  )
  await ledger.awaitCommits([id])
  return changed
}

export function pauseAgent(context: AgentsContext, caller: Caller, agentRef: string): Promise<Agent> {
  return changeState(context, caller, agentRef, 'pause')
}

export function resumeAgent(context: AgentsContext, caller: Caller, agentRef: string): Promise<Agent> {
  return changeState(context, caller, agentRef, 'resume')
}

/** Agents whose accounts are locked together, so that their payments wait a moment only. */
const PAUSED_AT_ONCE = 200

/**
 * Pauses every active agent of the caller's owners. After a failure in between, a repeat pauses the rest. An agent that
 * another request stops meanwhile is left as it is.
 */
export async function pauseAllAgents(context: AgentsContext, caller: OwnerCaller): Promise<number> {
  const { database, clock, vault } = context
  let paused = 0
  for (const ownerId of caller.ownerIds) {
    let last = FIRST_UUID
    for (;;) {
      const ids = await selectActiveIds(database, ownerId, last, PAUSED_AT_ONCE)
      if (ids.length === 0) break
      paused += await pauseTogether(context, ids, {
        actor: actorOf(caller, ownerId),
        vault,
        now: clock.now(),
      })
      last = ids.at(-1) ?? last
    }
  }
  return paused
}

/** Pauses these agents in one commit. If one of their rows was altered, each alone: an altered agent pays nothing. */
async function pauseTogether(
  context: AgentsContext,
  ids: readonly Uuid[],
  recording: Recording,
): Promise<number> {
  const { database, ledger } = context
  try {
    const outcomes = await database.inTransaction(tx => changeStates(tx, ids, 'pause', recording))
    await ledger.awaitCommits(ids)
    return [...outcomes.values()].filter(({ changed }) => changed).length
  } catch (error) {
    if (!(error instanceof AlteredRow)) throw error
    if (ids.length === 1) return 0
    let paused = 0
    for (const id of ids) paused += await pauseTogether(context, [id], recording)
    return paused
  }
}

/** Quarantines one agent within the caller's transaction; throws a conflict if its state does not allow it. */
export async function quarantineAgent(tx: Queryable, id: Uuid, recording: Recording): Promise<void> {
  const outcome = (await changeStates(tx, [id], 'quarantine', recording)).get(id)
  if (outcome !== undefined && outcome.refusal !== null) raise(outcome.refusal)
}
