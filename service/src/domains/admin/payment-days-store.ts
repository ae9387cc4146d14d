import type { Queryable } from '../../db/database.ts'
import { LAST_UUID, type Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'

/** The payments of one calendar day in IST, counted in days since 1970-01-01. */
export interface PaymentDay {
  readonly istDay: number
  readonly count: bigint
  readonly volumePaise: Paise
  readonly feesPaise: Paise
}

/** Captures are payments; the fee on them is charged when their authorization ends. */
const DAYS_OF_TRANSFERS = `
  select floor((extract(epoch from posted_at) + 19800) / 86400)::int4 as ist_day,
    count(*) filter (where kind in ('payment', 'capture')) as count,
    coalesce(sum(amount_paise) filter (where kind in ('payment', 'capture')), 0)::int8 as volume_paise,
    sum(case kind when 'authorization_fee' then amount_paise else fee_paise end)::int8 as fees_paise
  from transfers where id >= $1 and id < $2
    and kind in ('payment', 'capture', 'authorization_return', 'authorization_fee')
  group by 1`

/** Adds the payments of this range of ids to the sums of their days. */
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

/** The sums of payments that are not folded yet, computed from the transfers. */
export async function selectUnfoldedDays(db: Queryable, from: Uuid): Promise<PaymentDay[]> {
  return db.query<PaymentDay>(`select ${COLUMNS} from (${DAYS_OF_TRANSFERS}) days`, [from, LAST_UUID])
}
