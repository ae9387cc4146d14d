import { isDeepStrictEqual } from 'node:util'
import type { Queryable } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { type Refusal, raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Actor, actorOf, type Fact, type Recording, recordFacts } from '../../../operations/facts.ts'
import { applyDue, type Cooldown, LIMIT_INCREASES, recordPolicyVersions } from '../../limits/index.ts'
import type { Confirmation } from '../passkeys/step-up.ts'
import { requireAgentAccess, requireMayAccess } from './access.ts'
import type { AgentsContext } from './context.ts'
import { subtractFromAgentCount } from './count-store.ts'
import { newAgentKey } from './create-agent.ts'
import { type AgentChange, deactivate, decideCancel, decideChange, decideNewKey } from './decide.ts'
import { type Ended, endDependents } from './end-agents.ts'
import { appliedFacts, cancelledFacts, deactivatedFact, keyRotatedFacts, updatedFacts } from './facts.ts'
import { requestRenewals } from './renewal-store.ts'
import { type Agent, lockAgent, updateAgent } from './store.ts'

type ChangeContext = Pick<AgentsContext, 'database' | 'clock' | 'vault' | 'ledger'>

/** A change of one agent: its new row, and the facts that are recorded. */
interface Change {
  readonly decide: (agent: Agent) => Refusal | Agent
  readonly facts: (actor: Actor, before: Agent, after: Agent) => readonly Fact[]
  /** Ends what depends on the agent, in the same commit. */
  readonly andThen?: (tx: Queryable, before: Agent, recording: Recording) => Promise<Ended>
}

/** Changes an agent under the lock that its payments take (see lockAgent). */
async function changeAgent(
  { database, clock, vault, ledger }: ChangeContext,
  caller: Caller,
  agentRef: string,
  { decide, facts, andThen }: Change,
): Promise<Agent> {
  // Access is checked before the lock, so that no caller can delay payments of another party's agent. A change that the
  // present row refuses is refused without the lock; any other is decided again under the lock.
  const seen = await requireAgentAccess(database, caller, agentRef)
  const { id, ownerId } = seen
  const refused = decide(withDueChanges(seen, clock.now()))
  if ('kind' in refused) raise(refused)
  const actor = actorOf(caller, ownerId)
  const written = await database.inTransaction(
    async tx => {
      const stored = await lockAgent(tx, vault, id)
      assert(stored !== null, 'agents are never deleted')
      requireMayAccess(caller, stored)
      const now = clock.now()
      const before = withDueChanges(stored, now)
      const changed = decide(before)
      if ('kind' in changed) raise(changed)
      const written = await updateAgent(tx, vault, changed)
      if (changed.name !== before.name) await requestRenewals(tx, [id], now)
      const ended = await andThen?.(tx, before, { actor, vault, now })
      const all = [...appliedFacts(stored, before), ...facts(actor, before, changed), ...(ended?.facts ?? [])]
      const newest = ended === undefined || ended.versions.length === 0 ? written : ended.versions
      await recordFacts(tx, vault, now, all, newest)
      // A deactivation may end a budget.
      const isOwn = ended !== undefined || !isDeepStrictEqual(changed.policy, before.policy)
      if (isOwn || !isDeepStrictEqual(before.policy, stored.policy)) {
        await recordPolicyVersions(tx, [id], { vault, now, actor: isOwn ? actor : LIMIT_INCREASES })
      }
      return changed
    },
    { turns: [id] },
  )
  await ledger.awaitCommits([id])
  return written
}

export function updatePolicy(
  context: AgentsContext,
  caller: Caller,
  agentRef: string,
  change: AgentChange,
  confirmation: Confirmation = 'not_needed',
): Promise<Agent> {
  const isUnconfirmed = confirmation === 'missing'
  return changeAgent(context, caller, agentRef, {
    decide: agent =>
      decideChange(
        agent,
        change,
        { ...cooldownOf(context, agent), isUnconfirmed },
        context.mode === 'sandbox',
      ),
    facts: updatedFacts,
  })
}

/** Applies due policy changes. Returns whether there were any. */
export function applyDuePolicy(
  { database, vault }: Pick<ChangeContext, 'database' | 'vault'>,
  id: Uuid,
  now: Date,
): Promise<boolean> {
  return database.inTransaction(
    async tx => {
      const stored = await lockAgent(tx, vault, id)
      if (stored === null) return false
      const applied = withDueChanges(stored, now)
      const facts = appliedFacts(stored, applied)
      const versions = await updateAgent(tx, vault, applied)
      await recordFacts(tx, vault, now, facts, versions)
      await recordPolicyVersions(tx, [id], { vault, now, actor: LIMIT_INCREASES })
      return facts.length > 0
    },
    { turns: [id] },
  )
}

/** Cancels a pending policy change. */
export function cancelPolicyChange(
  context: AgentsContext,
  caller: Caller,
  agentRef: string,
  control: string,
): Promise<Agent> {
  return changeAgent(context, caller, agentRef, {
    decide: agent => decideCancel(agent, control),
    facts: cancelledFacts,
  })
}

function withDueChanges(stored: Agent, now: Date): Agent {
  return { ...stored, ...applyDue(stored, { now, isFrozen: stored.isOwnerFrozen }) }
}

function cooldownOf({ clock, limitIncreaseCooldownS }: AgentsContext, { isOwnerFrozen }: Agent): Cooldown {
  return { now: clock.now(), cooldownMs: limitIncreaseCooldownS * 1000, isFrozen: isOwnerFrozen }
}

/**
 * Deactivates an agent for good and ends its certificates and membership. A repeated call changes nothing, so a caller
 * that lost the response may repeat it.
 */
export function deactivateAgent(context: ChangeContext, caller: Caller, agentRef: string): Promise<Agent> {
  return changeAgent(context, caller, agentRef, {
    decide: agent => deactivate(agent, context.clock.now()),
    facts: (actor, { id, status }) => (status === 'deactivated' ? [] : [deactivatedFact(actor, id, status)]),
    async andThen(tx, { id, status, platformId }, recording) {
      const ended = await endDependents(tx, [id], recording)
      await subtractFromAgentCount(tx, platformId, status === 'deactivated' ? 0 : 1)
      return ended
    },
  })
}

export async function rotateAgentKey(
  context: AgentsContext,
  caller: Caller,
  agentRef: string,
): Promise<{ readonly agent: Agent; readonly agentKey: string }> {
  const key = newAgentKey(context.vault)
  const agent = await changeAgent(context, caller, agentRef, {
    decide: found => decideNewKey(found, key),
    facts: keyRotatedFacts,
  })
  return { agent, agentKey: key.text }
}
