import type { Uuid } from '../../../kernel/ids.ts'
import { TRANSFER_KINDS, type TransferKind } from '../../../ledger/index.ts'
import { addStep, type Chain, type EndHash, leadsTo, newChain } from './chain.ts'
import type { AccountFigures, CreditRow, DebitRow } from './sides-store.ts'
import { addSpend, newWindows, type Windows, wrongWindows } from './windows.ts'

export const WALLET_FAULTS = [
  'altered_transfer',
  'wrong_balance',
  'broken_history',
  'wrong_counters',
  'overdrawn',
  'altered_agent',
] as const

/** Something that is wrong with an account of the book, or with a row that has a MAC. */
export interface Fault {
  /** The account's id, or `table/id`. */
  readonly subject: string
  readonly kind: string
  readonly detail: string
}

/** What the transfers of a wallet come to, as far as they were read. */
export interface WalletProof {
  /** The account when the proof began: later transfers are left to the next proof. */
  readonly account: AccountFigures
  readonly chain: Chain
  readonly windows: Windows
  /** Transfers whose seal is not theirs; the first few. */
  readonly altered: Uuid[]
  steps: bigint
  balance: bigint
  funded: bigint
  spent: bigint
  lastPostedMs: number
  hadChargeback: boolean
  /** A side of a wallet without its balance or place. */
  isBroken: boolean
}

const MAX_NAMED = 10

/** Rows may be altered: what their kind says need not be one. */
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

/** Whether the proof is about this side of a transfer; one that is younger than it is not. */
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
  // An altered row may be of no kind at all; that was noted above.
  if (rules === undefined) return
  if (rules.spends) proof.spent += total
  if (row.releasedPaise !== null) proof.spent += row.releasedPaise
  if (row.kind === 'chargeback') proof.hadChargeback = true
  if (rules.limited) {
    const isUndone = row.refundedSequence !== null && row.refundedSequence <= proof.account.sequence
    addSpend(proof.windows, proof.account, row, isUndone)
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
 * What is wrong, once every side was added. `spentNow` is the account's total_spent at the end of the proof: a release
 * that came meanwhile counts as spent and has no place in the payer's history.
 */
export function conclude(proof: WalletProof, spentNow: bigint, hash: EndHash): Fault[] {
  const { account, balance, steps, altered } = proof
  const faults: Fault[] = []
  const found = (kind: (typeof WALLET_FAULTS)[number], detail: string) =>
    faults.push({ subject: account.id, kind, detail })
  if (altered.length > 0) found('altered_transfer', altered.join(', '))
  if (balance !== account.balancePaise) found('wrong_balance', `${account.balancePaise} is not ${balance}`)
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
