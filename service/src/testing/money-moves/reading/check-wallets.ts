import { transferIdOf } from '../../../domains/banking/payouts/payout.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { isSystemAccount, type LedgerReport } from '../../../ledger/index.ts'
import type { PaidPayment } from '../world.ts'
import type { BankRecords } from './bank-records.ts'
import { feeOf, isKept } from './check-fundings.ts'
import type { OurRecords } from './our-records.ts'

/** Each wallet's balance is what it received less what left it, and the system accounts add up too. */
export function checkWallets(
  bank: BankRecords,
  ours: OurRecords,
  payments: readonly PaidPayment[],
  report: LedgerReport,
): string[] {
  const due = expectedBalances(bank, ours, payments)
  const wallets = [...ours.balances].filter(([id]) => !isSystemAccount(id))
  const wrong = wallets.filter(([id, balance]) => balance !== (due.get(id) ?? 0n))
  return [
    ...wrong.map(([id, has]) => `${formatId('agt', id)} has ${has}, but ${due.get(id) ?? 0n} is right`),
    ...checkSystem(bank, ours, payments, report),
  ]
}

function expectedBalances(
  bank: BankRecords,
  ours: OurRecords,
  payments: readonly PaidPayment[],
): Map<Uuid, bigint> {
  const due = new Map<Uuid, bigint>()
  const add = (id: Uuid, change: bigint) => due.set(id, (due.get(id) ?? 0n) + change)
  const agentOf = new Map(ours.fundings.map(({ id, agentId }) => [formatId('fund', id), agentId]))
  for (const payment of bank.payments) {
    const agentId = agentOf.get(payment.orderId)
    if (agentId !== undefined && isKept(payment)) add(agentId, payment.amountPaise - feeOf(payment))
  }
  for (const payout of ours.payouts) {
    const transfer = bank.transfers.get(transferIdOf(payout))
    if (transfer?.status === 'success') add(payout.agentId, -transfer.amountPaise)
  }
  for (const { from, to, amountPaise, feePaise } of payments) {
    add(from, -(amountPaise + feePaise))
    add(to, amountPaise)
  }
  for (const { agentId, amountPaise, status, releasedTo } of ours.escrows) {
    if (status !== 'refunded') add(agentId, -amountPaise)
    if (releasedTo !== null) add(releasedTo, amountPaise)
  }
  return due
}

function checkSystem(
  bank: BankRecords,
  ours: OurRecords,
  payments: readonly PaidPayment[],
  report: LedgerReport,
): string[] {
  const orders = new Set(ours.fundings.map(({ id }) => formatId('fund', id)))
  const kept = bank.payments.filter(payment => isKept(payment) && orders.has(payment.orderId))
  const paidOut = [...bank.transfers.values()].filter(({ status }) => status === 'success')
  const due: Record<string, bigint> = {
    escrow: sum(ours.escrows.filter(({ status }) => status === 'held')),
    payouts: sum(ours.payouts.filter(({ status }) => status === 'pending')),
    fees: payments.reduce((total, { feePaise }) => total + feePaise, 0n),
    gateway: sum(paidOut) - sum(kept),
  }
  const wrong = Object.entries(due).filter(([name, balance]) => report.system[name] !== balance)
  return [
    ...wrong.map(([name, balance]) => `account ${name} has ${report.system[name]}, but ${balance} is right`),
    ...(report.balanced ? [] : [`the ledger is not balanced: it comes to ${report.sumPaise}`]),
    ...report.wrongBalances.map(id => `${formatId('agt', id)} has another balance than its transfers`),
  ]
}

function sum(rows: readonly { readonly amountPaise: bigint }[]): bigint {
  return rows.reduce((total, { amountPaise }) => total + amountPaise, 0n)
}
