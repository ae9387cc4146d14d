import type { OwnerPolicy } from '@batua/contract'
import type { Database } from '../../db/database.ts'
import type { OwnerCaller } from '../../http/caller.ts'
import { AppError, type Refusal, raise } from '../../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import {
  applyDue,
  changePolicy,
  type PolicyChange,
  type PolicyState,
  pendingRecord,
  policyRecord,
  withoutChange,
} from '../policies/index.ts'
import type { PolicySettingsContext } from './context.ts'
import { lockOwnerPolicy, selectOwnerPolicy, updateOwnerPolicy } from './owner-policy-store.ts'

/** Which owner of the session a call means: the only one, or the one that it names. */
function ownerOf({ ownerIds }: OwnerCaller, named: string | undefined): Uuid {
  if (named !== undefined) {
    const id = parseId('own', named)
    if (id !== null && ownerIds.includes(id)) return id
    throw new AppError('not_found', 'This session has no owner with this id', { field: 'owner_id' })
  }
  const [only, ...others] = ownerIds
  if (only === undefined) throw new AppError('not_found', 'This session has no owner any more')
  if (others.length === 0) return only
  throw new AppError(
    'validation_error',
    'This session covers several owners: say which one with the query parameter owner_id',
    { field: 'owner_id', details: { owner_ids: ownerIds.map(id => formatId('own', id)) } },
  )
}

export async function showOwnerPolicy(
  { database }: PolicySettingsContext,
  caller: OwnerCaller,
  named: string | undefined,
): Promise<OwnerPolicy> {
  const ownerId = ownerOf(caller, named)
  return recordOf(ownerId, await selectOwnerPolicy(database, ownerId))
}

export function changeOwnerPolicy(
  context: PolicySettingsContext,
  caller: OwnerCaller,
  named: string | undefined,
  change: PolicyChange,
): Promise<OwnerPolicy> {
  const now = context.clock.now()
  const cooldown = { now, cooldownMs: context.limitIncreaseCooldownS * 1000 }
  return changeUnderLock(context.database, ownerOf(caller, named), now, state =>
    changePolicy(state, change, cooldown),
  )
}

export function cancelOwnerPolicyChange(
  { database, clock }: PolicySettingsContext,
  caller: OwnerCaller,
  named: string | undefined,
  control: string,
): Promise<OwnerPolicy> {
  return changeUnderLock(database, ownerOf(caller, named), clock.now(), state => {
    const left = withoutChange(state.pending, control)
    return 'kind' in left ? left : { ...state, pending: left }
  })
}

/** Lets what waited and is due take effect. */
export async function applyDueOwnerPolicy(database: Database, ownerId: Uuid, now: Date): Promise<void> {
  await changeUnderLock(database, ownerId, now, state => state)
}

function changeUnderLock(
  database: Database,
  ownerId: Uuid,
  now: Date,
  decide: (state: PolicyState) => Refusal | PolicyState,
): Promise<OwnerPolicy> {
  return database.inTransaction(async tx => {
    const changed = decide(applyDue(await lockOwnerPolicy(tx, ownerId), now))
    if ('kind' in changed) raise(changed)
    await updateOwnerPolicy(tx, ownerId, changed)
    return recordOf(ownerId, changed)
  })
}

function recordOf(ownerId: Uuid, { policy, pending }: PolicyState): OwnerPolicy {
  return {
    owner_id: formatId('own', ownerId),
    policy: policyRecord(policy),
    pending_policy: pendingRecord(pending),
  }
}
