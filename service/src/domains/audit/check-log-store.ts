import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { FIRST_UUID, firstUuidAt, LAST_UUID, momentOf, type Uuid } from '../../kernel/ids.ts'
import { type StoredTransfer, transferColumns } from '../../ledger/index.ts'
import { appNameOf, type NamedPayment } from '../../operations/payment-fact.ts'
import { TILE_WIDTH, type TileId } from './merkle.ts'
import { ENTRY_COLUMNS, type EntryRow } from './read-entry.ts'

/** A tile as it is stored. It is not verified. */
export interface TileRow extends TileId {
  readonly hashes: Buffer
  readonly ids: readonly Uuid[]
  readonly minId: Uuid | null
  readonly maxId: Uuid | null
}

const IDS = `coalesce(array_to_string(ids, ','), '') as ids`

function idsIn(text: string): Uuid[] {
  return text === '' ? [] : text.split(',')
}

/** `count` tiles of leaves, beginning with `from`. */
export async function selectLeafTiles(db: Queryable, from: number, count: number): Promise<TileRow[]> {
  const rows = await db.query<Omit<TileRow, 'ids'> & { ids: string }>(
    `select level, tile::float8 as tile, hashes, ${IDS}, min_id as "minId", max_id as "maxId" from audit_tiles
     where level = 0 and tile >= $1 and tile < $2 order by tile`,
    [from, from + count],
  )
  return rows.map(row => ({ ...row, ids: idsIn(row.ids) }))
}

/** The tiles of a level above the leaves by their numbers; they have no ids. */
export async function selectUpperTiles(
  db: Queryable,
  level: number,
  tiles: readonly number[],
): Promise<UpperTile[]> {
  return db.query<UpperTile>(
    `select tile::float8 as tile, hashes, ids is null and min_id is null and max_id is null as "isBare"
     from audit_tiles where level = $1 and tile = any($2::int8[])`,
    [level, arrayLiteral(tiles)],
  )
}

export interface UpperTile {
  readonly tile: number
  readonly hashes: Buffer
  readonly isBare: boolean
}

const LEVELS = Array.from({ length: 8 }, (_, level) => level)

/** The first few tiles beyond a tree of this size. */
export async function selectStrayTiles(db: Queryable, size: number): Promise<TileId[]> {
  const ends = LEVELS.map(level => Math.ceil(Math.floor(size / TILE_WIDTH ** level) / TILE_WIDTH))
  return db.query<TileId>(
    `select t.level, t.tile::float8 as tile from unnest($1::int2[], $2::int8[]) tree(level, tiles_end)
       join audit_tiles t on t.level = tree.level and (t.tile >= tree.tiles_end or t.tile < 0)
     union all
     select t.level, t.tile::float8 from audit_tiles t where t.level < 0 or t.level >= ${LEVELS.length}
     limit 10`,
    [arrayLiteral(LEVELS), arrayLiteral(ends)],
  )
}

export async function selectRefused(db: Queryable): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(`select id from audit_refused limit 100`, [])
  return rows.map(({ id }) => id)
}

export function selectEntries(db: Queryable, ids: readonly Uuid[]): Promise<EntryRow[]> {
  return db.query<EntryRow>(`select ${ENTRY_COLUMNS} from audit_entries where id = any($1::uuid[])`, [
    arrayLiteral(ids),
  ])
}

export function selectPayments(
  db: Queryable,
  ids: readonly Uuid[],
): Promise<(StoredTransfer & NamedPayment)[]> {
  return db.query<StoredTransfer & NamedPayment>(
    `select ${transferColumns('t')}, ${appNameOf('t')} as "appName" from transfers t where t.id = any($1::uuid[]) and t.kind = 'payment'`,
    [arrayLiteral(ids)],
  )
}

/** A row of audit_entries or transfers. */
export interface RowId {
  readonly id: Uuid
  readonly isEntry: boolean
}

/** The service never writes the smallest uuid, but an inserted row may have it. */
export function selectEntryIds(db: Queryable, after: Uuid, limit: number): Promise<RowId[]> {
  return db.query<RowId>(
    `select id, true as "isEntry" from audit_entries
     where id >= $1 and (id > $1 or $1 = '${FIRST_UUID}') order by id limit $2`,
    [after, limit],
  )
}

/** Selects transfers of all kinds, so that a slice never reads a long range of others to find the next payments. */
export function selectTransferIds(db: Queryable, after: Uuid, limit: number): Promise<RowId[]> {
  return db.query<RowId>(
    `select id, kind = 'payment' as "isEntry" from transfers where id > $1 order by id limit $2`,
    [after, limit],
  )
}

/**
 * The id up to which the leaves of ids from `first` on are in no more than `tiles` tiles; null if there are fewer tiles.
 */
export async function selectReach(db: Queryable, first: Uuid, tiles: number): Promise<Uuid | null> {
  const [row] = await db.query<{ id: Uuid }>(
    `select max_id as id from audit_tiles where level = 0 and max_id >= $1 order by max_id offset $2 limit 1`,
    [first, tiles],
  )
  return row?.id ?? null
}

/** Those of these ids that are leaves, once for each leaf. The ids of other leaves are not transferred. */
export async function selectLeafIds(db: Queryable, ids: readonly Uuid[]): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(
    `select leaf.id from unnest($3::uuid[]) wanted(id)
       join (select unnest(ids) as id from audit_tiles where level = 0 and max_id >= $1 and min_id <= $2) leaf
         on leaf.id = wanted.id`,
    [ids.at(0), ids.at(-1), arrayLiteral(ids)],
  )
  return rows.map(({ id }) => id)
}

const AROUND_MS = 60_000

/** Which of these are in the queue. A row has the id of one of its leaves, which all have the same moment. */
export async function selectQueued(db: Queryable, ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
  const sorted = ids.toSorted()
  const [first, last] = [sorted.at(0), sorted.at(-1)]
  if (first === undefined || last === undefined) return new Set()
  const rows = await db.query<{ id: Uuid }>(
    `select waiting.id from audit_queue q, unnest(q.ids) waiting(id)
     where q.id >= $1 and q.id < $2 and waiting.id = any($3::uuid[])`,
    [around(first, -AROUND_MS), around(last, AROUND_MS), arrayLiteral(ids)],
  )
  return new Set(rows.map(row => row.id))
}

function around(id: Uuid, ms: number): Uuid {
  const uuid = firstUuidAt(new Date(momentOf(id).getTime() + ms))
  return uuid.length === LAST_UUID.length ? uuid : LAST_UUID
}

/** The last payment from before there was a log: payments up to it have no leaves. */
export async function selectBeginning(db: Queryable): Promise<Uuid> {
  const [row] = await db.query<{ after: Uuid }>(`select begins_after as after from audit_beginning`, [])
  return row?.after ?? FIRST_UUID
}
