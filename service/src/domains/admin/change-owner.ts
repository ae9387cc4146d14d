import type { Tier } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { type Actor, recordFacts } from '../../operations/facts.ts'
import {
  changeStates,
  lockOwner,
  type Owner,
  ownerNotFound,
  type StateOutcome,
  selectAgentIdsOfOwner,
  setAgentsTier,
  statusFact,
  tierFact,
  updateOwnerStatus,
  updateOwnerTier,
} from '../parties/index.ts'
import type { AdminContext } from './context.ts'

type Context = Pick<AdminContext, 'database' | 'clock' | 'vault' | 'ledger'>

/** An owner after a freeze or an unfreeze, and how many agents changed state with it. */
export interface ChangedOwner {
  readonly owner: Owner
  readonly agentsAffected: number
}

export function freezeOwner(context: Context, actor: Actor, ownerRef: string): Promise<ChangedOwner> {
  return changeStatus(context, actor, ownerRef, { status: 'frozen', act: 'freeze' })
}

export function unfreezeOwner(context: Context, actor: Actor, ownerRef: string): Promise<ChangedOwner> {
  return changeStatus(context, actor, ownerRef, { status: 'active', act: 'unfreeze' })
}

/**
 * The agents of a frozen owner are frozen already, so a second freeze changes nothing. An unfreeze restores all frozen
 * agents of the owner, also those that were frozen one by one, even if the owner was not frozen (interface section 3).
 */
async function changeStatus(
  { database, clock, vault, ledger }: Context,
  actor: Actor,
  ownerRef: string,
  { status, act }: { readonly status: Owner['status']; readonly act: 'freeze' | 'unfreeze' },
): Promise<ChangedOwner> {
  const recording = { actor, vault, now: clock.now() }
  const { owner, outcomes } = await database.inTransaction(async tx => {
    const owner = await lockOwnerByRef(tx, vault, ownerRef)
    if (owner.status !== status) {
      const versions = await updateOwnerStatus(tx, vault, owner.id, status)
      await recordFacts(tx, vault, recording.now, [statusFact(actor, owner, status)], versions)
    } else if (status === 'frozen') return { owner, outcomes: new Map<Uuid, StateOutcome>() }
    const outcomes = await changeStates(tx, await selectAgentIdsOfOwner(tx, owner.id), act, recording)
    return { owner: { ...owner, status }, outcomes }
  })
  await ledger.awaitCommits([...outcomes.keys()])
  return { owner, agentsAffected: [...outcomes.values()].filter(({ changed }) => changed).length }
}

/**
 * Sets the tier of an owner and its agents. A tier set by an administrator takes effect at once, also when it loosens.
 */
export async function setOwnerTier(
  { database, clock, vault }: Context,
  actor: Actor,
  ownerRef: string,
  tier: Tier,
): Promise<Owner> {
  const recording = { actor, vault, now: clock.now() }
  return database.inTransaction(async tx => {
    const owner = await lockOwnerByRef(tx, vault, ownerRef)
    if (owner.tier !== tier) {
      const versions = await updateOwnerTier(tx, vault, owner.id, tier)
      await recordFacts(tx, vault, recording.now, [tierFact(actor, owner, tier)], versions)
    }
    await setAgentsTier(tx, owner.id, tier, recording)
    return { ...owner, tier }
  })
}

async function lockOwnerByRef(tx: Queryable, vault: Vault, ownerRef: string): Promise<Owner> {
  const id = parseId('own', ownerRef)
  const owner = id === null ? null : await lockOwner(tx, vault, id)
  if (owner === null) throw ownerNotFound()
  return owner
}
