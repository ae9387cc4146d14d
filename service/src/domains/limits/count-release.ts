import { istDay } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import { addRelease, type LedgerBatch, type Read, read, releasesWriter } from '../../ledger/index.ts'
import { countCounterparty, windows, windowWriter } from './counterparties.ts'
import { watchesCounterparties } from './layers.ts'
import type { Spend } from './limits.ts'
import { paidInBatch } from './reverse-spend.ts'

/** The reads needed to count the release of a hold without a payee. */
export function releaseReads(payerId: Uuid, payeeId: Uuid): Read[] {
  return [read(windows, { payer: payerId, payee: payeeId })]
}

/**
 * Counts the release of a hold without a payee towards the payee that it names. The hold already counted the amount in
 * the payer's windows, so only the counterparty windows grow. A count of the payer's transfers does not find a release,
 * because it debits the escrow account: so the window is stored at once, even if no control uses counterparties yet.
 */
export function countRelease(batch: LedgerBatch, spend: Spend & { readonly payeeId: Uuid }): void {
  const { payer, payeeId, amountPaise, ceiling } = spend
  const key = { payer: payer.id, payee: payeeId }
  const today = istDay(new Date(batch.nowMs))
  const isShown = payer.needsExactWindows && watchesCounterparties(ceiling)
  const before = batch.read(windows, key)
  const spentBefore = before?.istDay === today ? before.daySpentPaise : ZERO_PAISE
  if (isShown) countCounterparty(batch, payer, payeeId, amountPaise)
  const window = {
    ...{ payer: payer.id, payee: payeeId, istDay: today },
    daySpentPaise: (spentBefore + amountPaise) as Paise,
    lastPaidMs: batch.nowMs,
    lastReleasedMs: batch.nowMs,
  }
  batch.set(windows, key, window)
  // The next count stores the payments of this batch.
  const shownPaise = isShown ? paidInBatch(batch, { payerId: payer.id, payeeId }) : 0n
  batch.write(windowWriter, { ...window, daySpentPaise: (window.daySpentPaise - shownPaise) as Paise })
  addRelease(payer, amountPaise, batch.nowMs)
  batch.write(releasesWriter, payer)
}
