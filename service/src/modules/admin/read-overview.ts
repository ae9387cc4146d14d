import type { Overview } from '@batua/contract'
import { istDay } from '../../kernel/clock.ts'
import { rupees } from '../../kernel/money.ts'
import { readBookCheck } from './book-check-store.ts'
import type { AdminContext } from './context.ts'
import { readPayments } from './read-payments.ts'
import { countAgentsByStatus, countSignedUp, sumHeldMoney } from './store.ts'

/** Everything as of one moment: all of it is read in one snapshot. */
export function readOverview(context: AdminContext): Promise<Overview> {
  const { database, clock, countPendingApprovals, countOpenAlerts } = context
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const now = clock.now()
    const { platforms, owners } = await countSignedUp(tx)
    const held = await sumHeldMoney(tx)
    const check = await readBookCheck(tx)
    return {
      platforms,
      owners,
      agents: await countAgentsByStatus(tx, null),
      float: rupees(held.floatPaise),
      escrow_held: rupees(held.escrowHeldPaise),
      payments: await readPayments(tx, istDay(now)),
      pending_approvals: await countPendingApprovals(tx, now),
      open_alerts: await countOpenAlerts(tx),
      // No webhooks are delivered by this service, so none has failed.
      failed_deliveries: 0,
      ledger: { balanced: check.balanced, checked_at: check.checkedAt?.toISOString() ?? null },
    }
  })
}
