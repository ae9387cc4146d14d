import { type KycStatus, SEARCHED_OWNERS, type Tier } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { isGenuine, type MacRow, macColumns } from '../../../db/row-mac.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { OWNER_COLUMNS, OWNER_ROWS, type Owner } from './store.ts'

/** Filters of the list; null: no filter. */
export interface OwnerFilter {
  readonly platformId: Uuid | null
  readonly status: Owner['status'] | null
  readonly kycStatus: KycStatus | null
  readonly tier: Tier | null
  /** An owner's id, or a part of a name; absent: all. */
  readonly search?: string | undefined
}

const MATCHES = `($2::text is null or status = $2) and ($3::text is null or kyc_status = $3)
  and ($4::text is null or tier = $4)`

/** The owners that the filter selects: $1 to $6. A search for a name goes through the newest owners only. */
function matching({ platformId, search }: OwnerFilter): string {
  const inScope = platformId === null ? '$1::uuid is null' : 'platform_id = $1::uuid'
  const matches = `${inScope} and ${MATCHES}`
  if (search === undefined) return `${matches} and $5::text is null and $6::uuid is null`
  return `${matches} and id in (
    select $6::uuid union all
    select n.id from (select id, name from owners where ${inScope} order by id desc limit ${SEARCHED_OWNERS}) n
    where strpos(lower(n.name), lower($5)) > 0)`
}

function filterValues({ platformId, status, kycStatus, tier, search }: OwnerFilter): unknown[] {
  const id = search === undefined ? null : parseId('own', search)
  return [platformId, status, kycStatus, tier, search ?? null, id]
}

/** A page of owners, newest first: those before `before` if it is given, skipping `offset`. */
export async function selectOwners(db: Queryable, filter: OwnerFilter, page: PageRequest): Promise<Owner[]> {
  return db.query<Owner>(
    `select ${OWNER_COLUMNS} from owners where ${matching(filter)} and ($7::uuid is null or id < $7)
     order by id desc limit $8 offset $9`,
    [...filterValues(filter), page.before, page.fetch, page.offset],
  )
}

export async function countOwners(db: Queryable, filter: OwnerFilter): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from owners where ${matching(filter)}`,
    filterValues(filter),
  )
  return Number(row?.count ?? 0)
}

/** The digests of the phones of those among these owners that their holders accepted, without altered rows. */
export async function selectAcceptedPhones(
  db: Queryable,
  vault: Vault,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Buffer>> {
  const rows = await db.query<{ id: Uuid; phoneIndex: Buffer } & MacRow>(
    `select o.id, o.phone_index as "phoneIndex", ${macColumns(OWNER_ROWS, 'o')}
     from owners o where o.id = any($1::uuid[]) and o.link_status = 'accepted'`,
    [arrayLiteral(ids)],
  )
  const genuine = rows.filter(row => isGenuine(vault, OWNER_ROWS, row.id, row))
  return new Map(genuine.map(({ id, phoneIndex }) => [id, phoneIndex]))
}
