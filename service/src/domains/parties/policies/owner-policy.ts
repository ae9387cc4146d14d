import type { OwnerPolicy, ResponseOf, updateOwnerPolicy as updateRoute } from '@batua/contract'
import { type OwnerCaller, ownerOfSession } from '../../../http/caller.ts'
import { type Refusal, raise } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { actorOf, type Fact, recordFacts } from '../../../operations/facts.ts'
import {
  applyDue,
  changePolicy,
  changesPayees,
  isPayeeList,
  LIMIT_INCREASES,
  type OwnerPolicyState,
  type PolicyChange,
  type PolicyState,
  pendingRecord,
  policyRecord,
  selectOwnerPolicy,
  withoutChange,
} from '../../limits/index.ts'
import type { Confirmation } from '../passkeys/step-up.ts'
import type { Announcer, PolicySettingsContext } from './context.ts'
import { ownerPolicyFacts } from './facts.ts'
import {
  announceOwnerPolicy,
  isUnannounced,
  lockOwnerPolicy,
  selectUnannouncedOwners,
  updateOwnerPolicy,
} from './owner-policy-store.ts'
import { warningsOfOwner } from './payee-warnings.ts'

/** The policy after a change, with its warnings. */
type OwnerPolicyResponse = ResponseOf<typeof updateRoute>

export async function showOwnerPolicy(
  { database }: PolicySettingsContext,
  caller: OwnerCaller,
  named: string | undefined,
): Promise<OwnerPolicy> {
  const ownerId = ownerOfSession(caller, named)
  return recordOf(ownerId, await selectOwnerPolicy(database, ownerId))
}

export async function changeOwnerPolicy(
  context: PolicySettingsContext,
  caller: OwnerCaller,
  named: string | undefined,
  change: PolicyChange,
  confirmation: Confirmation = 'not_needed',
): Promise<OwnerPolicyResponse> {
  const ownerId = ownerOfSession(caller, named)
  const now = context.clock.now()
  const cooldownMs = context.limitIncreaseCooldownS * 1000
  const fact = { actor: actorOf(caller, ownerId), action: 'owner.policy_changed', now } as const
  const changed = await changeUnderLock(context, ownerId, fact, (state, isFrozen) =>
    changePolicy(state, change, { now, cooldownMs, isFrozen, isUnconfirmed: confirmation === 'missing' }),
  )
  return changesPayees(change) ? withWarnings(context, ownerId, changed) : changed
}

export async function cancelOwnerPolicyChange(
  context: PolicySettingsContext,
  caller: OwnerCaller,
  named: string | undefined,
  control: string,
): Promise<OwnerPolicyResponse> {
  const ownerId = ownerOfSession(caller, named)
  const actor = actorOf(caller, ownerId)
  const fact = { actor, action: 'owner.policy_change_cancelled', now: context.clock.now() } as const
  const changed = await changeUnderLock(context, ownerId, fact, state => {
    const left = withoutChange(state.pending, control)
    return 'kind' in left ? left : { ...state, pending: left }
  })
  return isPayeeList(control) ? withWarnings(context, ownerId, changed) : changed
}

async function withWarnings(
  { database, clock }: PolicySettingsContext,
  ownerId: Uuid,
  changed: OwnerPolicy,
): Promise<OwnerPolicyResponse> {
  const owner = await selectOwnerPolicy(database, ownerId)
  const warnings = await warningsOfOwner(database, ownerId, owner, clock.now())
  return warnings.length === 0 ? changed : { ...changed, warnings }
}

/** Applies due changes to the proven row. Returns whether there were any. */
export async function applyDueOwnerPolicy(context: Announcer, ownerId: Uuid, now: Date): Promise<boolean> {
  const fact = { actor: LIMIT_INCREASES, action: 'owner.policy_change_applied', now } as const
  const { facts } = await writeUnderLock(
    context,
    ownerId,
    now,
    decider(ownerId, fact, state => state),
  )
  return facts.length > 0
}

/**
 * Changes an owner's policy. Due changes take effect first and are recorded on their own, but not while the owner is
 * frozen. A change that is refused or changes nothing takes no lock. A change is written under the owner's lock alone
 * and then announced to the agents in batches, so that no payment waits long. It applies to the next payment of each
 * agent once this returns. If this process stops in between, a job continues the announcement.
 */
async function changeUnderLock(
  context: Announcer,
  ownerId: Uuid,
  fact: DatedFact,
  decide: Decide,
): Promise<OwnerPolicy> {
  const { database } = context
  const decided = decider(ownerId, fact, decide)
  const seen = decided(await selectOwnerPolicy(database, ownerId))
  if (seen.facts.length === 0) {
    if (await isUnannounced(database, ownerId)) await announceToAll(context, ownerId)
    return recordOf(ownerId, seen.after)
  }
  return recordOf(ownerId, (await writeUnderLock(context, ownerId, fact.now, decided)).after)
}

type DatedFact = Pick<Fact, 'actor' | 'action'> & { readonly now: Date }
type Decide = (state: PolicyState, isFrozen: boolean) => Refusal | PolicyState

/** A policy after a change, and the audit events of the change. */
interface Decided {
  readonly after: PolicyState
  readonly facts: readonly Fact[]
}

function decider(
  ownerId: Uuid,
  { now, ...fact }: DatedFact,
  decide: Decide,
): (state: OwnerPolicyState) => Decided {
  return ({ isFrozen, ...before }) => {
    const applied = applyDue(before, { now, isFrozen })
    const after = decide(applied, isFrozen)
    if ('kind' in after) raise(after)
    return { after, facts: ownerPolicyFacts(fact, ownerId, { before, applied, after }) }
  }
}

async function writeUnderLock(
  context: Announcer,
  ownerId: Uuid,
  now: Date,
  decided: (state: OwnerPolicyState) => Decided,
): Promise<Decided> {
  const { database, vault } = context
  const written = await database.inTransaction(
    async tx => {
      const { after, facts } = decided(await lockOwnerPolicy(tx, vault, ownerId))
      const versions = facts.length > 0 ? await updateOwnerPolicy(tx, vault, ownerId, after) : []
      await recordFacts(tx, vault, now, facts, versions)
      return { after, facts }
    },
    { turns: [ownerId] },
  )
  await announceToAll(context, ownerId)
  return written
}

async function announceToAll(context: Announcer, ownerId: Uuid): Promise<void> {
  while ((await announceOwnerPolicy(context, ownerId)) > 0);
}

const OWNERS_AT_ONCE = 100

/** Continues announcements that a stopped process left unfinished. Returns the number of agents announced to. */
export async function announceOwnerPolicies(context: Announcer): Promise<number> {
  let announced = 0
  for (const id of await selectUnannouncedOwners(context.database, OWNERS_AT_ONCE)) {
    announced += await announceOwnerPolicy(context, id)
  }
  return announced
}

function recordOf(ownerId: Uuid, { policy, pending }: PolicyState): OwnerPolicy {
  return {
    owner_id: formatId('own', ownerId),
    policy: policyRecord(policy),
    pending_policy: pendingRecord(pending),
  }
}
