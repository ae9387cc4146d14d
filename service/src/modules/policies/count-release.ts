import { istDay } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import { addRelease, type Book, type Need, need, releasesSink } from '../../ledger/index.ts'
import { watchesCounterparties } from './controls.ts'
import { countCounterparty, windowSink, windows } from './counterparties.ts'
import type { Spend } from './limits.ts'
import { paidInBatch } from './uncount.ts'

/** What has to be read before the release of a hold that named nobody can be counted. */
export function releaseNeeds(payerId: Uuid, payeeId: Uuid): Need[] {
  return [need(windows, { payer: payerId, payee: payeeId })]
}

/**
 * Counts a release for the payee that it names first. Its amount is in the payer's windows since the hold, so only the
 * counterparty windows grow. No count of the payer's own transfers finds a release, which debits the escrow account:
 * so its window is stored at once, whether or not a control of the payer looks at counterparties yet.
 */
export function countRelease(book: Book, spend: Spend & { readonly payeeId: Uuid }): void {
  const { payer, payeeId, amountPaise, ceiling } = spend
  const key = { payer: payer.id, payee: payeeId }
  const today = istDay(new Date(book.nowMs))
  const isShown = payer.needsExactWindows && watchesCounterparties(ceiling)
  const before = book.fact(windows, key)
  const spentBefore = before?.istDay === today ? before.daySpentPaise : ZERO_PAISE
  if (isShown) countCounterparty(book, payer, payeeId, amountPaise)
  const window = {
    ...{ payer: payer.id, payee: payeeId, istDay: today },
    daySpentPaise: (spentBefore + amountPaise) as Paise,
    lastPaidMs: book.nowMs,
    lastReleasedMs: book.nowMs,
  }
  book.setFact(windows, key, window)
  // What this batch itself pays is stored by the next count.
  const shownPaise = isShown ? paidInBatch(book, { payerId: payer.id, payeeId }) : 0n
  book.write(windowSink, { ...window, daySpentPaise: (window.daySpentPaise - shownPaise) as Paise })
  addRelease(payer, amountPaise, book.nowMs)
  book.write(releasesSink, payer)
}
