import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { assert } from '../../kernel/assert.ts'
import { HOUR_MS, istDay } from '../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import {
  type Account,
  counterpartyOf,
  countsAgainstLimits,
  keyAt,
  type LedgerBatch,
  payeeOfTransfer,
  type Read,
  read,
  reader,
  TRANSFER_KINDS,
} from '../../ledger/index.ts'
import {
  type CounterpartyWindow,
  isRecent,
  type Recents,
  recentPayees,
  type WindowKey,
  windows,
  windowWriter,
} from './counterparties.ts'
import { type Ceiling, watchesCounterparties } from './layers.ts'
import type { Phase } from './limits.ts'

/** A spending for a payee that is undone: the money goes back to the payer. */
export interface ReversedSpend {
  readonly id: Uuid
  readonly payerId: Uuid
  readonly payeeId: Uuid
  /** What goes back of it. */
  readonly amountPaise: Paise
  /** Nothing of it counts any more. */
  readonly isWhole: boolean
  readonly postedMs: number
  /** The payer's sequence at the transfer that is undone. */
  readonly sequence: bigint
}

/** Enough rows to find one that this batch does not undo too. */
const MOST_READ = 20

interface Paid {
  readonly id: Uuid
  readonly postedMs: number
}

/** Other payments of the payer to the same payee within the hour, latest first, without the undone transfer. */
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

/** What is read of a spending before it can be taken out of the counterparty windows. */
export function reverseSpendReads(given: ReversedSpend): Read[] {
  return [read(windows, windowOf(given))]
}

/**
 * The phases that follow that of the payer's facts. The payments of the payer's last hour are read only if the windows
 * have counted the spending, or if a command of this batch makes them exact: such a command says so in the first of
 * these phases (`limitPhases`).
 */
export function reverseSpendPhases(given: ReversedSpend): Phase[] {
  return [
    () => [],
    batch => {
      const payer = batch.account(given.payerId)
      const mayBeCounted =
        payer !== undefined && (payer.needsExactWindows || countedWindow(batch, payer, given) !== null)
      return mayBeCounted && given.isWhole ? [read(otherwisePaid, given)] : []
    },
  ]
}

/** The window that has counted the spending; null: none has, and the next count leaves it out. */
function countedWindow(batch: LedgerBatch, payer: Account, given: ReversedSpend): CounterpartyWindow | null {
  const counted = batch.read(windows, windowOf(given))
  return counted === undefined || payer.countedThroughSequence < given.sequence ? null : counted
}

/** Takes an undone transfer out of the counterparty windows. */
export function reverseSpend(
  batch: LedgerBatch,
  payer: Account,
  ceiling: Ceiling,
  given: ReversedSpend,
): void {
  const counted = countedWindow(batch, payer, given)
  if (counted === null) return
  const spentToday = counted.istDay === istDay(new Date(given.postedMs))
  // The windows include payments of this batch only if countSpend counted them.
  const isShown = payer.needsExactWindows && watchesCounterparties(ceiling)
  const shownPaise = isShown ? paidInBatch(batch, given) : 0n
  const staysPaid = shownPaise > 0n || !given.isWhole
  const lastPaidMs = staysPaid ? counted.lastPaidMs : lastPaid(batch, counted, given)
  const changed: CounterpartyWindow = {
    ...counted,
    daySpentPaise: (counted.daySpentPaise - (spentToday ? given.amountPaise : 0n)) as Paise,
    lastPaidMs,
  }
  batch.set(windows, windowOf(given), changed)
  // The next count stores the payments of this batch.
  batch.write(windowWriter, {
    ...changed,
    daySpentPaise: (changed.daySpentPaise - shownPaise) as Paise,
  })
  const recents = batch.read(recentPayees, payer.id)
  if (recents !== undefined) {
    batch.set(recentPayees, payer.id, withoutPayment(recents, changed, counted.lastPaidMs, batch.nowMs))
  }
}

/** When the payer last paid the same payee otherwise, including releases of holds without a payee. */
function lastPaid(batch: LedgerBatch, counted: CounterpartyWindow, given: ReversedSpend): number {
  if (counted.lastPaidMs !== given.postedMs) return counted.lastPaidMs
  const paid = batch.read(otherwisePaid, given)
  assert(paid !== undefined, 'what a window has counted is read before it is taken out')
  const last = paid.find(({ id }) => !batch.undone.has(id))
  const releasedMs = counted.lastReleasedMs ?? 0
  if (last !== undefined) return Math.max(last.postedMs, releasedMs)
  // There may be an earlier one that was not read. Keeping the later moment never allows one recipient too many.
  return paid.length < MOST_READ ? releasedMs : counted.lastPaidMs
}

/** What a payer paid a payee in this batch. */
export function paidInBatch(
  { transfers }: LedgerBatch,
  { payerId, payeeId }: Pick<ReversedSpend, 'payerId' | 'payeeId'>,
): bigint {
  let paid = 0n
  for (const transfer of transfers) {
    const { kind, debitAccount, amountPaise } = transfer
    if (debitAccount !== payerId || payeeOfTransfer(transfer) !== payeeId) continue
    if (TRANSFER_KINDS[kind].limited) paid += amountPaise
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
