import { HOUR_MS, istDay, istMonth, startOfIstDay } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { payeeOfTransfer, TRANSFER_KINDS, type TransferKind } from '../../../ledger/index.ts'
import type { Finding } from '../../../operations/scan.ts'
import { addStep, type Chain, type EndHash, leadsTo, newChain } from './chain.ts'
import type { AccountFigures, CreditRow, DebitRow } from './store.ts'

type WalletFault = 'altered_transfer' | 'wrong_balance' | 'broken_history' | 'wrong_counters' | 'overdrawn'

/** The sums of a wallet's transfers, as far as they were read. */
export interface WalletProof {
  /** The account when the proof began; the next round proves later transfers. */
  readonly account: AccountFigures
  readonly chain: Chain
  readonly windows: Windows
  /** The first few transfers whose MAC is invalid. */
  readonly altered: Uuid[]
  steps: bigint
  balance: bigint
  funded: bigint
  spent: bigint
  lastPostedMs: number
  hadChargeback: boolean
  /** Whether a debit or credit of the wallet has no balance or no sequence number. */
  isBroken: boolean
}

const MAX_NAMED = 10

/** By kind. An altered row may have a kind that does not exist. */
const RULES: Readonly<Record<string, (typeof TRANSFER_KINDS)[TransferKind]>> = TRANSFER_KINDS

export function beginProof(account: AccountFigures): WalletProof {
  return {
    account,
    chain: newChain(),
    windows: newWindows(),
    altered: [],
    steps: 0n,
    balance: 0n,
    funded: 0n,
    spent: 0n,
    lastPostedMs: 0,
    hadChargeback: false,
    isBroken: false,
  }
}

/** Whether a debit or credit belongs to the proof: one that was posted after it began does not. */
function concerns(proof: WalletProof, sequence: bigint | null, balance: bigint | null): boolean {
  if (sequence === null || balance === null) {
    proof.isBroken = true
    return false
  }
  return sequence <= proof.account.sequence
}

export function addDebit(proof: WalletProof, row: DebitRow, isGenuine: boolean): void {
  if (!isGenuine && proof.altered.length < MAX_NAMED) proof.altered.push(row.id)
  const { debitSequence: sequence, debitBalancePaise: balance } = row
  if (!concerns(proof, sequence, balance)) return
  const total = row.amountPaise + row.feePaise
  takeStep(proof, sequence ?? 0n, balance ?? 0n, -total, row.postedAt)
  const rules = RULES[row.kind]
  // An altered row, which is in `altered`.
  if (rules === undefined) return
  if (rules.spends) proof.spent += total
  if (row.spentPaise !== null) proof.spent += row.spentPaise
  if (row.kind === 'chargeback') proof.hadChargeback = true
  if (rules.limited) {
    const isUndone = row.undoneSequence !== null && row.undoneSequence <= proof.account.sequence
    addSpend(proof.windows, proof.account, row, isUndone ? (row.undonePaise ?? 0n) : 0n)
  }
}

export function addCredit(proof: WalletProof, row: CreditRow): void {
  const { creditSequence: sequence, creditBalancePaise: balance } = row
  if (!concerns(proof, sequence, balance)) return
  takeStep(proof, sequence ?? 0n, balance ?? 0n, row.amountPaise, row.postedAt)
  if (RULES[row.kind]?.funds === true) proof.funded += row.amountPaise
}

function takeStep(proof: WalletProof, sequence: bigint, balance: bigint, change: bigint, at: Date): void {
  addStep(proof.chain, sequence, balance, change)
  proof.steps++
  proof.balance += change
  proof.lastPostedMs = Math.max(proof.lastPostedMs, at.getTime())
}

/**
 * The faults, once every debit and credit was added. `spentNow` is the account's total_spent at the end of the proof: a
 * release during the proof counts as spent and has no place in the payer's history.
 */
export function conclude(proof: WalletProof, spentNow: bigint, hash: EndHash): Finding[] {
  const { account, balance, steps, altered } = proof
  const faults: Finding[] = []
  const found = (kind: WalletFault, detail: string) => faults.push({ subject: account.id, kind, detail })
  if (altered.length > 0) found('altered_transfer', altered.join(', '))
  if (balance !== account.balancePaise)
    found('wrong_balance', `stored ${account.balancePaise}, expected ${balance}`)
  const isWhole = leadsTo(proof.chain, account.sequence, account.balancePaise, hash)
  if (proof.isBroken || !isWhole) found('broken_history', `${steps} of ${account.sequence} steps`)
  const wrong = [...wrongTotals(proof, spentNow), ...wrongWindows(proof.windows, account)]
  if (wrong.length > 0) found('wrong_counters', wrong.join(', '))
  if (account.balancePaise < 0n && !proof.hadChargeback) found('overdrawn', `${account.balancePaise}`)
  return faults
}

function wrongTotals(
  { account, funded, spent, steps, lastPostedMs }: WalletProof,
  spentNow: bigint,
): string[] {
  const checks: readonly [string, boolean][] = [
    ['total_funded_paise', account.totalFundedPaise === funded],
    ['total_spent_paise', account.totalSpentPaise <= spent && spent <= spentNow],
    ['last_posted_ms', steps === 0n || Number(account.lastPostedMs) === lastPostedMs],
    ['counted_through_sequence', account.countedThroughSequence <= account.sequence],
  ]
  return checks.flatMap(([column, isRight]) => (isRight ? [] : [column]))
}

/**
 * The debits of a system account, which has no row and no history. Their MACs must be valid, and their sum must be the
 * stored one, or a transfer was removed or inserted from outside.
 */
export interface SystemProof {
  readonly account: Uuid
  /** The stored sum includes the transfers that were posted before this moment. */
  readonly untilMs: number
  readonly folded: bigint
  readonly altered: Uuid[]
  debited: bigint
}

export function beginSystemProof(account: Uuid, folded: { untilMs: number; debited: bigint }): SystemProof {
  return { account, untilMs: folded.untilMs, folded: folded.debited, altered: [], debited: 0n }
}

export function addSystemDebit(proof: SystemProof, row: DebitRow, isGenuine: boolean): void {
  if (!isGenuine && proof.altered.length < MAX_NAMED) proof.altered.push(row.id)
  if (row.postedAt.getTime() < proof.untilMs) proof.debited += row.amountPaise + row.feePaise
}

export function concludeSystem({ account, altered, debited, folded }: SystemProof): Finding[] {
  const faults: Finding[] = []
  if (altered.length > 0)
    faults.push({ subject: account, kind: 'altered_transfer', detail: altered.join(', ') })
  if (debited !== folded) {
    faults.push({
      subject: account,
      kind: 'folded_differs',
      detail: `stored ${folded}, expected ${debited}`,
    })
  }
  return faults
}

/** What a wallet spent by its transfers, in the windows of its account. */
interface Windows {
  lastSpentMs: number | null
  hour: bigint
  day: bigint
  istDay: bigint
  istMonth: bigint
  /** The recipients of the account's last hour, up to a number above every limit. */
  readonly recipients: Set<Uuid>
}

const MAX_RECIPIENTS = 1_000

function newWindows(): Windows {
  return { lastSpentMs: null, hour: 0n, day: 0n, istDay: 0n, istMonth: 0n, recipients: new Set() }
}

/** Adds what counts against limits. What was returned does not count, but is the last spending at its moment. */
function addSpend(windows: Windows, account: AccountFigures, row: DebitRow, undonePaise: bigint): void {
  const spentMs = row.postedAt.getTime()
  windows.lastSpentMs = Math.max(windows.lastSpentMs ?? 0, spentMs)
  const countedPaise = row.amountPaise - undonePaise
  if (countedPaise === 0n) return
  const spentDay = istDay(row.postedAt)
  if (spentMs > Number(account.hourFromMs)) windows.hour += countedPaise
  if (spentMs > Number(account.dayFromMs)) windows.day += countedPaise
  if (spentDay === account.istDay) windows.istDay += countedPaise
  if (monthOf(spentDay) === monthOf(account.istDay)) windows.istMonth += countedPaise
  const isRecent = spentMs > Math.max(Number(account.hourFromMs), Number(account.lastSpentMs) - HOUR_MS)
  // A hold without a named payee has no recipient before its release.
  const recipient = payeeOfTransfer(row)
  if (isRecent && recipient !== null && windows.recipients.size < MAX_RECIPIENTS) {
    windows.recipients.add(recipient)
  }
}

function monthOf(day: number): number {
  return istMonth(startOfIstDay(day))
}

/** The columns of the account that differ from its transfers. */
function wrongWindows(windows: Windows, account: AccountFigures): string[] {
  const { lastSpentMs, recipients } = windows
  // An account that never spent has a moment until its opening.
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
    // A bound: if it is too high, a payment reads more; if too low, a payer could pay more recipients than allowed.
    ['hour_recipients_bound', account.hourRecipientsBound >= recipients.size],
  ]
  return checks.flatMap(([column, isRight]) => (isRight ? [] : [column]))
}
