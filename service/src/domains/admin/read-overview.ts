import type { Overview } from '@batua/contract'
import { istDay } from '../../kernel/clock.ts'
import { rupees } from '../../kernel/money.ts'
import { readLogCheck } from '../audit/index.ts'
import { type LedgerSums, readLedgerCheck } from '../checks/index.ts'
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
    const check = await readLedgerCheck(tx)
    const log = await readLogCheck(tx)
    const reconciliation = await readReconciliation(tx)
    return {
      platforms,
      owners,
      agents: await countAgentsByStatus(tx, null),
      float: rupees(held.floatPaise),
      escrow_held: rupees(held.escrowHeldPaise),
      authorized: rupees(held.authorizedPaise),
      payments: await readPayments(tx, istDay(now)),
      payouts_pending: { count: Number(held.payoutsPending), amount: rupees(held.payoutsPendingPaise) },
      negative_wallets: { count: Number(negative.count), amount: rupees(negative.owedPaise) },
      pending_approvals: await countPendingApprovals(tx, now),
      open_alerts: await countOpenAlerts(tx),
      failed_deliveries: await countFailedDeliveries(tx),
      ledger: {
        balanced: log.openFindings + check.openFindings > 0 ? false : check.finishedAt && true,
        checked_at: check.finishedAt?.toISOString() ?? null,
        sums: check.result && ledgerSums(check.result.sums),
      },
      reconciliation: {
        differences: reconciliation.differences,
        checked_at: reconciliation.checkedAt?.toISOString() ?? null,
      },
    }
  })
}

function ledgerSums(sums: LedgerSums): NonNullable<Overview['ledger']['sums']> {
  const { balances, walletsDifference, escrowDifference, authorizationsDifference, payoutsDifference } = sums
  return {
    balances: Object.fromEntries(Object.entries(balances).map(([name, paise]) => [name, rupees(paise)])),
    differences: {
      wallets: rupees(walletsDifference),
      escrow: rupees(escrowDifference),
      authorizations: rupees(authorizationsDifference),
      payouts: rupees(payoutsDifference),
    },
  }
}
