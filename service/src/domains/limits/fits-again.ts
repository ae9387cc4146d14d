import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import {
  type Account,
  countsAgainstLimits,
  keyAt,
  type LedgerBatch,
  type Read,
  type RollingWindow,
  read,
  reader,
  rollingSpent,
  WINDOW_MS,
} from '../../ledger/index.ts'
import type { Ceiling } from './controls.ts'

/** A refused payer may repeat itself, so what one refusal reads is bounded. */
const MOST_PAYMENTS_READ = 1_000

/** A payment of a window, and what has fallen out once it has: the payments before it fall first. */
interface Fall {
  readonly postedMs: number
  readonly freedPaise: bigint
}

/** Which payments: a payer's from a moment on, until so much has fallen out. */
interface FallsKey {
  readonly payer: Uuid
  readonly fromMs: number
  readonly mostPaise: bigint
}

/**
 * The payments that leave a rolling window next, until as much as is asked for has fallen out: the moment at
 * which an amount fits again is that of the payment whose fall frees enough. Nothing is known beyond the
 * oldest thousand payments of the window.
 */
const falls = reader<FallsKey, readonly Fall[]>({
  name: 'payments that leave windows next',
  key: ['payer', 'fromMs', 'mostPaise'],
  async load(tx: Queryable, keys) {
    const rows = await tx.query<{ position: number; posted_at: Date; freed: bigint }>(
      `select k.position::int4 as position, s.posted_at, s.freed
       from unnest($1::uuid[], $2::uuid[], $3::int8[]) with ordinality k(payer, from_id, most, position)
       cross join lateral (
         select p.posted_at, p.amount_paise, (sum(p.amount_paise) over (order by p.id))::int8 as freed
         from (select t.id, t.posted_at, t.amount_paise from transfers t
               where t.debit_account = k.payer and t.id >= k.from_id and ${countsAgainstLimits('t')}
               order by t.id limit $4) p
       ) s
       where s.freed - s.amount_paise < k.most
       order by k.position, s.freed`,
      [
        arrayLiteral(keys.map(({ payer }) => payer)),
        arrayLiteral(keys.map(({ fromMs }) => firstUuidAt(new Date(fromMs)))),
        arrayLiteral(keys.map(({ mostPaise }) => mostPaise)),
        MOST_PAYMENTS_READ,
      ],
    )
    const found = new Map(keys.map(key => [key, new Array<Fall>()]))
    for (const { position, posted_at, freed } of rows) {
      found.get(keyAt(keys, position))?.push({ postedMs: posted_at.getTime(), freedPaise: freed })
    }
    return found
  },
})

type FallsKeys = Map<RollingWindow, FallsKey | null>

const keysOf = new WeakMap<Account, FallsKeys>()

/**
 * One key for all commands of the batch: whatever of them is paid, no refusal asks for more than this. It is made when
 * all have said what they plan and none has posted, and stays.
 */
function fallsKey(batch: LedgerBatch, payer: Account, window: RollingWindow, limit: bigint): FallsKey | null {
  const keys: FallsKeys = keysOf.get(payer) ?? new Map()
  keysOf.set(payer, keys)
  const known = keys.get(window)
  if (known !== undefined) return known
  const spent = rollingSpent(payer.spending, window)
  const tooMuch = spent + payer.plannedPaise - limit
  const most = tooMuch < spent ? tooMuch : spent
  const key =
    most <= 0n ? null : { payer: payer.id, fromMs: batch.nowMs - WINDOW_MS[window] + 1, mostPaise: most }
  keys.set(window, key)
  return key
}

function limitOf(ceiling: Ceiling, window: RollingWindow): bigint | null {
  return window === 'hour' ? ceiling.hourPaise : ceiling.dayPaise
}

/** One reading for each kind of rolling limit that may refuse now but would let the amount pass later. */
export function fitsAgainReads(
  batch: LedgerBatch,
  payer: Account,
  ceiling: Ceiling,
  amountPaise: bigint,
): Read[] {
  const reads: Read[] = []
  for (const window of ['hour', 'day'] as const) {
    const limit = limitOf(ceiling, window)
    if (limit === null || amountPaise > limit) continue
    const key = fallsKey(batch, payer, window, limit)
    if (key !== null) reads.push(read(falls, key))
  }
  return reads
}

/** When `wanted` paise have fallen out of the window; at the latest when all of it has. */
export function fitsAgainAt(
  batch: LedgerBatch,
  payer: Account,
  ceiling: Ceiling,
  window: RollingWindow,
  wanted: bigint,
): number {
  const limit = limitOf(ceiling, window)
  const key = limit === null ? null : fallsKey(batch, payer, window, limit)
  const known = key === null ? [] : (batch.read(falls, key) ?? [])
  const enough = wanted + givenBackInBatch(batch, payer)
  const last = known.find(({ freedPaise }) => freedPaise >= enough)
  return (last?.postedMs ?? payer.spending.lastSpentMs) + WINDOW_MS[window]
}

/** What was read still has the holds that this batch refunds. Counted once more, they make no moment come too early. */
function givenBackInBatch({ transfers }: LedgerBatch, { id }: Account): bigint {
  return transfers.reduce(
    (sum, { kind, creditAccount, amountPaise }) =>
      kind === 'escrow_refund' && creditAccount === id ? sum + amountPaise : sum,
    0n,
  )
}
