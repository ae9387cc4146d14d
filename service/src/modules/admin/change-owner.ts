import type { Tier } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { changeStates, type StateOutcome, selectAgentIdsOfOwner, setAgentsTier } from '../agents/index.ts'
import { lockOwner, type Owner, ownerNotFound, updateOwnerStatus, updateOwnerTier } from '../owners/index.ts'
import type { AdminContext } from './context.ts'

type Context = Pick<AdminContext, 'database' | 'ledger'>

/** An owner after a freeze or its end, and how many agents changed with it. */
export interface ChangedOwner {
  readonly owner: Owner
  readonly agentsAffected: number
}

export function freezeOwner(context: Context, address: string): Promise<ChangedOwner> {
  return changeStatus(context, address, 'frozen', 'freeze')
}

export function unfreezeOwner(context: Context, address: string): Promise<ChangedOwner> {
  return changeStatus(context, address, 'active', 'thaw')
}

/**
 * An owner that has this status already keeps its agents as they are: a repeated unfreeze must not undo what was done
 * to one of them since.
 */
async function changeStatus(
  { database, ledger }: Context,
  address: string,
  status: Owner['status'],
  act: 'freeze' | 'thaw',
): Promise<ChangedOwner> {
  const { owner, outcomes } = await database.inTransaction(async tx => {
    const owner = await lockAddressed(tx, address)
    if (owner.status === status) return { owner, outcomes: new Map<Uuid, StateOutcome>() }
    await updateOwnerStatus(tx, owner.id, status)
    const outcomes = await changeStates(tx, await selectAgentIdsOfOwner(tx, owner.id), act)
    return { owner: { ...owner, status }, outcomes }
  })
  await ledger.answered([...outcomes.keys()])
  return { owner, agentsAffected: [...outcomes.values()].filter(({ changed }) => changed).length }
}

/** Sets the tier of an owner and its agents. An administrator's act never waits, whichever way it goes. */
export async function setOwnerTier({ database }: Context, address: string, tier: Tier): Promise<Owner> {
  return database.inTransaction(async tx => {
    const owner = await lockAddressed(tx, address)
    await updateOwnerTier(tx, owner.id, tier)
    await setAgentsTier(tx, owner.id, tier)
    return { ...owner, tier }
  })
}

async function lockAddressed(tx: Queryable, address: string): Promise<Owner> {
  const id = parseId('own', address)
  const owner = id === null ? null : await lockOwner(tx, id)
  if (owner === null) throw ownerNotFound()
  return owner
}
