import type { LinkStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { lockGenuine, type RowVersion, writeMacs } from '../../../db/row-mac.ts'
import type { PageRequest } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { OWNER_COLUMNS, OWNER_ROWS, type Owner } from './store.ts'

/** An owner with the name of its platform. */
export interface LinkedOwner {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly platformName: string
  readonly createdAt: Date
}

const LINKED = `
  select o.id, o.platform_id as "platformId", p.name as "platformName", o.created_at as "createdAt"
  from owners o join platforms p on p.id = o.platform_id`

/** The accepted owners of a phone, oldest first. */
export async function selectAcceptedOwners(db: Queryable, phoneIndex: Buffer): Promise<LinkedOwner[]> {
  return db.query<LinkedOwner>(
    `${LINKED} where o.phone_index = $1 and o.link_status = 'accepted' order by o.id`,
    [phoneIndex],
  )
}

/** The open invitations of a phone, without those of deleted platforms. */
const INVITED = `o.phone_index = $1 and o.link_status = 'invited' and p.status = 'active'`

/** A page of the invitations of a phone, newest first. */
export async function selectInvitations(
  db: Queryable,
  phoneIndex: Buffer,
  page: PageRequest,
): Promise<LinkedOwner[]> {
  return db.query<LinkedOwner>(
    `${LINKED} where ${INVITED} and ($2::uuid is null or o.id < $2) order by o.id desc limit $3 offset $4`,
    [phoneIndex, page.before, page.fetch, page.offset],
  )
}

export async function countInvitations(db: Queryable, phoneIndex: Buffer): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from owners o join platforms p on p.id = o.platform_id where ${INVITED}`,
    [phoneIndex],
  )
  return Number(row?.count ?? 0)
}

/** Whether an owner is one of the open invitations of its phone that were made first. */
export async function isAmongFirstInvited(
  db: Queryable,
  { id, phoneIndex }: { readonly id: Uuid; readonly phoneIndex: Buffer },
  first: number,
): Promise<boolean> {
  const rows = await db.query<{ id: Uuid }>(
    `select o.id from owners o join platforms p on p.id = o.platform_id where ${INVITED}
     order by o.id limit $2`,
    [phoneIndex, first],
  )
  return rows.some(row => row.id === id)
}

/** Adds the name of the platform, which was read already, to an owner. */
export interface NamedOwner extends Owner {
  readonly platformName: string
  readonly platformStatus: string
}

/** The owner with this id and this phone, locked until the commit. */
export async function lockOwnerOfPhone(
  tx: Queryable,
  id: Uuid,
  phoneIndex: Buffer,
): Promise<NamedOwner | null> {
  const [owner] = await tx.query<NamedOwner>(
    `select ${OWNER_COLUMNS},
       (select p.name from platforms p where p.id = platform_id) as "platformName",
       (select p.status from platforms p where p.id = platform_id) as "platformStatus"
     from owners where id = $1 and phone_index = $2 for no key update`,
    [id, phoneIndex],
  )
  return owner ?? null
}

/**
 * Locks the only owner of a phone if its holder has never decided about it; null: there are several, or a decision, or
 * its platform was deleted. Owners are never deleted, so this applies only to the first login of a phone.
 */
export async function lockOnlyNewOwner(tx: Queryable, phoneIndex: Buffer): Promise<Owner | null> {
  const [owner] = await tx.query<Owner>(
    `select ${OWNER_COLUMNS} from owners o
     where phone_index = $1 and link_status = 'invited' and link_decided_at is null
       and not exists (select from owners other where other.phone_index = $1 and other.id <> o.id)
       and exists (select from platforms p where p.id = o.platform_id and p.status = 'active')
     for no key update`,
    [phoneIndex],
  )
  return owner ?? null
}

/** Sets whether the holder accepted the owner. The caller holds the lock of its row. */
export async function updateLink(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  { linkStatus, linkDecidedAt }: { readonly linkStatus: LinkStatus; readonly linkDecidedAt: Date | null },
): Promise<RowVersion[]> {
  await lockGenuine(tx, vault, OWNER_ROWS, [id])
  await tx.query(`update owners set link_status = $2, link_decided_at = $3 where id = $1`, [
    id,
    linkStatus,
    linkDecidedAt,
  ])
  return writeMacs(tx, vault, OWNER_ROWS, [id])
}
