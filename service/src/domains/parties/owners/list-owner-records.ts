import type { Owner as OwnerRecord } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
import type { OwnersContext } from './context.ts'
import { ownerRecord } from './owner-record.ts'
import { selectOwnersByIds } from './store.ts'

/** The records of the session's owners, oldest first. */
export async function listOwnerRecords(
  { database, vault }: Pick<OwnersContext, 'database' | 'vault'>,
  ids: readonly Uuid[],
): Promise<OwnerRecord[]> {
  const owners = await selectOwnersByIds(database, ids)
  return owners.map(owner => ownerRecord(vault, owner))
}
