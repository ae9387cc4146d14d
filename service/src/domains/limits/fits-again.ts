import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import {
  type Account,
  countedPaise,
  countsAgainstLimits,
  keyAt,
  type LedgerBatch,
  type Read,
  type RollingWindow,
  read,
  reader,
  rollingSpent,
  TRANSFER_KINDS,
  WINDOW_MS,
} from '../../ledger/index.ts'
import type { Ceiling } from './layers.ts'

/** A refused payer may retry at once, so the rows that one refusal reads are bounded. */
const MOST_PAYMENTS_READ = 1_000

/** A payment in a window, and the sum that has left the window once it has, earlier payments included. */
interface Fall {
  readonly postedMs: number
  readonly freedPaise: bigint
}

/** Selects a payer's payments from a moment on, until this sum has left the window. */
interface FallsKey {
  readonly payer: Uuid
  readonly fromMs: number
  readonly mostPaise: bigint
}

/**
 * The payments that leave a rolling window next, until the requested sum has left it. An amount fits again at the
 * moment when the payment that frees enough leaves the window. Only the oldest thousand payments of the window are
 * read.
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
         from (select t.id, t.posted_at, ${countedPaise('t')} as amount_paise from transfers t
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
 * One key for all commands of the batch: whichever of them are paid, no refusal needs more than this. It is made after
 * all commands have planned and before any has posted, and does not change.
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

/** One read for each rolling window whose limit may refuse the amount now but would allow it later. */
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

/** When `neededPaise` have left the window; at the latest when every payment has. */
export function fitsAgainAt(
  batch: LedgerBatch,
  payer: Account,
  ceiling: Ceiling,
  window: RollingWindow,
  neededPaise: bigint,
): number {
  const limit = limitOf(ceiling, window)
  const key = limit === null ? null : fallsKey(batch, payer, window, limit)
  const known = key === null ? [] : (batch.read(falls, key) ?? [])
  const enough = neededPaise + refundedInBatch(batch, payer)
  const last = known.find(({ freedPaise }) => freedPaise >= enough)
  return (last?.postedMs ?? payer.spending.lastSpentMs) + WINDOW_MS[window]
}

/** The rows still include payments that this batch reverses. Adding their sum never makes the moment too early. */
function refundedInBatch({ transfers }: LedgerBatch, { id }: Account): bigint {
  return transfers.reduce(
    (sum, { kind, creditAccount, amountPaise }) =>
      TRANSFER_KINDS[kind].undoes && creditAccount === id ? sum + amountPaise : sum,
    0n,
  )
}
