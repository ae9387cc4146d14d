import type { Overview } from '@batua/contract'
import { istDay } from '../../kernel/clock.ts'
import { rupees } from '../../kernel/money.ts'
import { readLogCheck } from '../audit/index.ts'
import { type KeptSums, readBookCheck, readBookSums } from '../checks/index.ts'
import type { AdminContext } from './context.ts'
import { sumNegativeWallets } from './negative-wallets-store.ts'
import { readPayments } from './read-payments.ts'
import { countAgentsByStatus, countSignedUp, sumHeldMoney } from './store.ts'

/** All figures are read in one snapshot, so they belong to one moment. */
export function readOverview(context: AdminContext): Promise<Overview> {
  const {
    database,
    clock,
    countPendingApprovals,
    countOpenAlerts,
    countFailedDeliveries,
    readReconciliation,
  } = context
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const now = clock.now()
    const { platforms, owners } = await countSignedUp(tx)
    const held = await sumHeldMoney(tx)
    const negative = await sumNegativeWallets(tx)
    const check = await readBookCheck(tx)
    const sums = await readBookSums(tx)
    const log = await readLogCheck(tx)
    const reconciliation = await readReconciliation(tx)
    return {
      platforms,
      owners,
      agents: await countAgentsByStatus(tx, null),
      float: rupees(held.floatPaise),
      escrow_held: rupees(held.escrowHeldPaise),
      payments: await readPayments(tx, istDay(now)),
      payouts_pending: { count: Number(held.payoutsPending), amount: rupees(held.payoutsPendingPaise) },
      negative_wallets: { count: Number(negative.count), amount: rupees(negative.owedPaise) },
      pending_approvals: await countPendingApprovals(tx, now),
      open_alerts: await countOpenAlerts(tx),
      failed_deliveries: await countFailedDeliveries(tx),
      ledger: {
        balanced: log.faults > 0 ? false : check.balanced,
        checked_at: check.checkedAt?.toISOString() ?? null,
        sums: sums && ledgerSums(sums),
      },
      reconciliation: {
        differences: reconciliation.differences,
        checked_at: reconciliation.checkedAt?.toISOString() ?? null,
      },
    }
  })
}

function ledgerSums(sums: KeptSums): NonNullable<Overview['ledger']['sums']> {
  const inr = (paise: string) => rupees(BigInt(paise))
  const { balances, walletsDifference, escrowDifference, payoutsDifference } = sums
  return {
    balances: Object.fromEntries(Object.entries(balances).map(([name, paise]) => [name, inr(paise)])),
    differences: {
      wallets: inr(walletsDifference),
      escrow: inr(escrowDifference),
      payouts: inr(payoutsDifference),
    },
  }
}
