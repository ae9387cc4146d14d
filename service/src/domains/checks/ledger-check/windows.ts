import { HOUR_MS, istDay, istMonth, startOfIstDay } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { AccountFigures, DebitRow } from './sides-store.ts'

/** What a wallet spent by its transfers, in the windows that its account names. */
export interface Windows {
  lastSpentMs: number | null
  hour: bigint
  day: bigint
  istDay: bigint
  istMonth: bigint
  /** The recipients of the account's last hour, up to a number that no limit reaches. */
  readonly recipients: Set<Uuid>
}

const MAX_RECIPIENTS = 1_000

export function newWindows(): Windows {
  return { lastSpentMs: null, hour: 0n, day: 0n, istDay: 0n, istMonth: 0n, recipients: new Set() }
}

/** Adds what counts against limits. What was given back counts no more, but was spent at its moment. */
export function addSpend(windows: Windows, account: AccountFigures, row: DebitRow, isUndone: boolean): void {
  const spentMs = row.postedAt.getTime()
  windows.lastSpentMs = Math.max(windows.lastSpentMs ?? 0, spentMs)
  if (isUndone) return
  const spentDay = istDay(row.postedAt)
  if (spentMs > Number(account.hourFromMs)) windows.hour += row.amountPaise
  if (spentMs > Number(account.dayFromMs)) windows.day += row.amountPaise
  if (spentDay === account.istDay) windows.istDay += row.amountPaise
  if (monthOf(spentDay) === monthOf(account.istDay)) windows.istMonth += row.amountPaise
  const isRecent = spentMs > Math.max(Number(account.hourFromMs), Number(account.lastSpentMs) - HOUR_MS)
  const recipient = recipientOf(row)
  if (isRecent && recipient !== null && windows.recipients.size < MAX_RECIPIENTS) {
    windows.recipients.add(recipient)
  }
}

function monthOf(day: number): number {
  return istMonth(startOfIstDay(day))
}

/** A hold that names nobody has no recipient before its release. */
function recipientOf({ kind, linkedId, creditAccount }: DebitRow): Uuid | null {
  return kind === 'escrow_hold' ? linkedId : creditAccount
}

/** The columns of the account that do not say what its transfers say. */
export function wrongWindows(windows: Windows, account: AccountFigures): string[] {
  const { lastSpentMs, recipients } = windows
  // Who never spent has the moment at which the account was opened.
  const isLastRight =
    lastSpentMs === null
      ? account.lastSpentMs <= account.lastPostedMs
      : Number(account.lastSpentMs) === lastSpentMs
  const checks: readonly [string, boolean][] = [
    ['last_spent_ms', isLastRight],
    ['hour_spent_paise', account.hourSpentPaise === windows.hour],
    ['day_spent_paise', account.daySpentPaise === windows.day],
    ['ist_day_spent_paise', account.istDaySpentPaise === windows.istDay],
    ['ist_month_spent_paise', account.istMonthSpentPaise === windows.istMonth],
    // A bound: too high costs a reading, too low would let a payer pay more recipients than it may.
    ['hour_recipients_bound', account.hourRecipientsBound >= recipients.size],
  ]
  return checks.flatMap(([column, isRight]) => (isRight ? [] : [column]))
}
