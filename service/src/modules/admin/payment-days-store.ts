import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise } from '../../kernel/money.ts'

/** The payments of one calendar day in IST, counted in days since 1970-01-01. */
export interface PaymentDay {
  readonly istDay: number
  readonly count: bigint
  readonly volumePaise: Paise
  readonly feesPaise: Paise
}

export interface Cursor {
  /** Every payment with a lower id is in payment_days, and none of the others. */
  readonly foldedBefore: Uuid
  /** How far the next folding goes. */
  readonly closingBefore: Uuid
  /** Whether every transaction has ended that ran when `closingBefore` was chosen. */
  readonly closed: boolean
}

/** The cursor, locked until the commit; null while another node folds. */
export async function lockCursor(tx: Queryable): Promise<Cursor | null> {
  const [cursor] = await tx.query<Cursor>(
    `select folded_before as "foldedBefore", closing_before as "closingBefore",
       pg_snapshot_xmin(pg_current_snapshot()) > closing_xid as closed
     from payment_days_cursor for update skip locked`,
    [],
  )
  return cursor ?? null
}

export async function readFoldedBefore(db: Queryable): Promise<Uuid> {
  const [row] = await db.query<{ before: Uuid }>(
    `select folded_before as before from payment_days_cursor`,
    [],
  )
  if (row === undefined) throw new Error('assertion failed: the cursor is a row of the schema')
  return row.before
}

export async function moveCursor(tx: Queryable, foldedBefore: Uuid): Promise<void> {
  await tx.query(`update payment_days_cursor set folded_before = $1`, [foldedBefore])
}

/** Chooses how far to fold next. This transaction's own id tells those before it from those after it. */
export async function startClosing(tx: Queryable, closingBefore: Uuid): Promise<void> {
  await tx.query(`update payment_days_cursor set closing_before = $1, closing_xid = pg_current_xact_id()`, [
    closingBefore,
  ])
}

/** The id behind so many transfers from `from` on; null when there are fewer before `before`. */
export async function idBehind(
  tx: Queryable,
  from: Uuid,
  before: Uuid,
  transfers: number,
): Promise<Uuid | null> {
  const [row] = await tx.query<{ id: Uuid }>(
    `select id from transfers where id >= $1 and id < $2 order by id offset $3 limit 1`,
    [from, before, transfers],
  )
  return row?.id ?? null
}

const DAYS_OF_TRANSFERS = `
  select floor((extract(epoch from posted_at) + 19800) / 86400)::int4 as ist_day, count(*) as count,
    sum(amount_paise)::int8 as volume_paise, sum(fee_paise)::int8 as fees_paise
  from transfers where id >= $1 and id < $2 and kind = 'payment' group by 1`

/** Adds the payments of this range of ids to their days. */
export async function addToDays(tx: Queryable, from: Uuid, before: Uuid): Promise<void> {
  await tx.query(
    `insert into payment_days as d (ist_day, count, volume_paise, fees_paise) ${DAYS_OF_TRANSFERS}
     on conflict (ist_day) do update set count = d.count + excluded.count,
       volume_paise = d.volume_paise + excluded.volume_paise, fees_paise = d.fees_paise + excluded.fees_paise`,
    [from, before],
  )
}

const COLUMNS = `ist_day as "istDay", count, volume_paise as "volumePaise", fees_paise as "feesPaise"`

export async function selectDays(db: Queryable, fromDay: number): Promise<PaymentDay[]> {
  return db.query<PaymentDay>(`select ${COLUMNS} from payment_days where ist_day >= $1`, [fromDay])
}

/** The days of payments that are not folded yet, straight from the transfers. */
export async function selectUnfoldedDays(db: Queryable, from: Uuid): Promise<PaymentDay[]> {
  return db.query<PaymentDay>(`select ${COLUMNS} from (${DAYS_OF_TRANSFERS}) days`, [from, LAST_UUID])
}

const LAST_UUID: Uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
