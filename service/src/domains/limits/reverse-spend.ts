import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { HOUR_MS, istDay } from '../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import {
  type Account,
  counterpartyOf,
  countsAgainstLimits,
  keyAt,
  type LedgerBatch,
  type Read,
  read,
  reader,
  TRANSFER_KINDS,
} from '../../ledger/index.ts'
import { type Ceiling, watchesCounterparties } from './controls.ts'
import {
  type CounterpartyWindow,
  isRecent,
  type Recents,
  recentPayees,
  type WindowKey,
  windows,
  windowWriter,
} from './counterparties.ts'

/** Money that was set aside for a payee and went back to its payer: what it counted for. */
export interface ReversedSpend {
  readonly id: Uuid
  readonly payerId: Uuid
  readonly payeeId: Uuid
  readonly amountPaise: Paise
  readonly postedMs: number
  /** The payer's sequence at the transfer that is undone. */
  readonly sequence: bigint
}

/** Enough to find one that this batch does not undo as well. */
const MOST_READ = 20

interface Paid {
  readonly id: Uuid
  readonly postedMs: number
}

/** What the payer paid the same payee within the hour, the latest first, but for the transfer that is undone. */
const otherwisePaid = reader<ReversedSpend, readonly Paid[]>({
  name: 'payees that were paid otherwise',
  key: ['payerId', 'payeeId', 'id'],
  async load(tx: Queryable, undone, nowMs) {
    const rows = await tx.query<{ position: number; id: Uuid; posted_at: Date }>(
      `select k.position::int4 as position, o.id, o.posted_at
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality k(payer, payee, undone, position)
       cross join lateral (
         select p.id, p.posted_at from transfers p
         where p.debit_account = k.payer and p.id >= $4 and p.id <> k.undone
           and ${counterpartyOf('p')} = k.payee and ${countsAgainstLimits('p')}
         order by p.id desc limit $5) o
       order by o.id desc`,
      [
        arrayLiteral(undone.map(({ payerId }) => payerId)),
        arrayLiteral(undone.map(({ payeeId }) => payeeId)),
        arrayLiteral(undone.map(({ id }) => id)),
        firstUuidAt(new Date(nowMs - HOUR_MS)),
        MOST_READ,
      ],
    )
    const found = new Map(undone.map(given => [given, new Array<Paid>()]))
    for (const { position, id, posted_at } of rows) {
      found.get(keyAt(undone, position))?.push({ id, postedMs: posted_at.getTime() })
    }
    return found
  },
})

function windowOf({ payerId, payeeId }: ReversedSpend): WindowKey {
  return { payer: payerId, payee: payeeId }
}

/** What has to be read before a spending that counterparties were counted with can be given back. */
export function reverseSpendReads(given: ReversedSpend): Read[] {
  return [read(windows, windowOf(given)), read(otherwisePaid, given)]
}

/**
 * Takes a transfer that is undone out of the counterparty windows. One that no count has reached yet is in none; the
 * next count passes it over.
 */
export function reverseSpend(
  batch: LedgerBatch,
  payer: Account,
  ceiling: Ceiling,
  given: ReversedSpend,
): void {
  const key = windowOf(given)
  const counted = batch.read(windows, key)
  if (counted === undefined || payer.countedThroughSequence < given.sequence) return
  const spentToday = counted.istDay === istDay(new Date(given.postedMs))
  // The windows show what this batch pays only to those who count it: see countSpend.
  const isShown = payer.needsExactWindows && watchesCounterparties(ceiling)
  const shownPaise = isShown ? paidInBatch(batch, given) : 0n
  const lastPaidMs = shownPaise > 0n ? counted.lastPaidMs : lastPaid(batch, counted, given)
  const changed: CounterpartyWindow = {
    ...counted,
    daySpentPaise: (counted.daySpentPaise - (spentToday ? given.amountPaise : 0n)) as Paise,
    lastPaidMs,
  }
  batch.set(windows, key, changed)
  // What this batch itself pays is stored by the next count.
  batch.write(windowWriter, {
    ...changed,
    daySpentPaise: (changed.daySpentPaise - shownPaise) as Paise,
  })
  const recents = batch.read(recentPayees, payer.id)
  if (recents !== undefined) {
    batch.set(recentPayees, payer.id, withoutPayment(recents, changed, counted.lastPaidMs, batch.nowMs))
  }
}

/** What else was paid to the same payee, holds that named nobody and were released to it included. */
function lastPaid(batch: LedgerBatch, counted: CounterpartyWindow, given: ReversedSpend): number {
  if (counted.lastPaidMs !== given.postedMs) return counted.lastPaidMs
  // A release has a link too, and undoes nothing.
  const undoing = batch.transfers.filter(({ kind }) => TRANSFER_KINDS[kind].undoes)
  const undone = new Set(undoing.map(({ linkedId }) => linkedId))
  const paid = batch.read(otherwisePaid, given) ?? []
  const last = paid.find(({ id }) => !undone.has(id))
  const releasedMs = counted.lastReleasedMs ?? 0
  if (last !== undefined) return Math.max(last.postedMs, releasedMs)
  // There may be an earlier one that was not read. Whoever counts for too long is never one recipient too many.
  return paid.length < MOST_READ ? releasedMs : counted.lastPaidMs
}

/** What a payer paid a payee in this batch. */
export function paidInBatch(
  { transfers }: LedgerBatch,
  { payerId, payeeId }: Pick<ReversedSpend, 'payerId' | 'payeeId'>,
): bigint {
  let paid = 0n
  for (const { kind, debitAccount, creditAccount, linkedId, amountPaise } of transfers) {
    if (debitAccount !== payerId) continue
    const payee = kind === 'escrow_hold' ? linkedId : creditAccount
    if (payee === payeeId && TRANSFER_KINDS[kind].limited) paid += amountPaise
  }
  return paid
}

function withoutPayment(
  { count, oldest, isComplete }: Recents,
  { payee, lastPaidMs }: CounterpartyWindow,
  beforeMs: number,
  nowMs: number,
): Recents {
  const stays = isRecent(lastPaidMs, nowMs)
  const others = oldest.filter(recipient => recipient.payee !== payee)
  return {
    count: isRecent(beforeMs, nowMs) && !stays ? count - 1 : count,
    oldest: stays
      ? [...others, { payee, lastPaidMs }].toSorted((left, right) => left.lastPaidMs - right.lastPaidMs)
      : others,
    isComplete,
  }
}
