import { istDay } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import { addRelease, type LedgerBatch, type Read, read, releasesWriter } from '../../ledger/index.ts'
import { watchesCounterparties } from './controls.ts'
import { countCounterparty, windows, windowWriter } from './counterparties.ts'
import type { Spend } from './limits.ts'
import { paidInBatch } from './reverse-spend.ts'

/** What has to be read before the release of a hold that named nobody can be counted. */
export function releaseReads(payerId: Uuid, payeeId: Uuid): Read[] {
  return [read(windows, { payer: payerId, payee: payeeId })]
}

/**
 * Counts a release for the payee that it names first. Its amount is in the payer's windows since the hold, so only the
 * counterparty windows grow. No count of the payer's own transfers finds a release, which debits the escrow account:
 * so its window is stored at once, whether or not a control of the payer looks at counterparties yet.
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
  // What this batch itself pays is stored by the next count.
  const shownPaise = isShown ? paidInBatch(batch, { payerId: payer.id, payeeId }) : 0n
  batch.write(windowWriter, { ...window, daySpentPaise: (window.daySpentPaise - shownPaise) as Paise })
  addRelease(payer, amountPaise, batch.nowMs)
  batch.write(releasesWriter, payer)
}
