import { afterAll, describe, expect } from 'vitest'
import { HOUR_MS, istDay } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { insertAgent, insertFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import { networkContext, newOwner, newPlatform } from '../../testing/network.ts'
import type { AdminContext, LastReconciliation } from './context.ts'
import { foldPayments } from './jobs.ts'
import { readOverview } from './read-overview.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')

let clock: ManualClock
let node: TestNode
let context: AdminContext
let reconciliation: LastReconciliation = { differences: null, checkedAt: null }

test.beforeAll(async () => {
  clock = manualClock(NOON)
  node = startNode({ database, clock })
  context = {
    ...networkContext(database, clock),
    countPendingApprovals: async () => 3,
    countOpenAlerts: async () => 2,
    countFailedDeliveries: async () => 4,
    readReconciliation: async () => reconciliation,
  }
})

afterAll(async () => {
  await node.ledger.close()
})

const read = () => readOverview(context)
const none = { count: 0, volume: 0, fees: 0 }

describe('the overview', () => {
  test('the overview of an empty service is all zero, and its ledger is not checked yet', async () => {
    expect(await read()).toEqual({
      platforms: 0,
      owners: 0,
      agents: { total: 0, active: 0, paused: 0, quarantined: 0, frozen: 0, deactivated: 0 },
      float: 0,
      escrow_held: 0,
      authorized: 0,
      payments: { today: none, last_30_days: none },
      pending_approvals: 3,
      open_alerts: 2,
      failed_deliveries: 4,
      payouts_pending: { count: 0, amount: 0 },
      negative_wallets: { count: 0, amount: 0 },
      ledger: { balanced: null, checked_at: null, sums: null },
      reconciliation: { differences: null, checked_at: null },
    })
  })

  test('the overview shows the present numbers of platforms, owners and agents, their balances and payments', async () => {
    const { platform } = await newPlatform({ ...networkContext(database, clock) })
    await newOwner(networkContext(database, clock), platform.id)
    const payer = await insertFundedAgent(node.ledger, database, clock, 1_000_000n)
    const payee = await insertAgent(database, clock.now())
    for (const status of ['paused', 'quarantined', 'quarantined', 'frozen', 'deactivated'] as const) {
      await insertAgent(database, clock.now(), { status })
    }
    await node.pay(order(payer, payee, 40_000n))
    clock.advance(HOUR_MS)
    await node.pay(order(payer, payee, 10_050n))
    const seen = await read()
    expect(seen).toMatchObject({
      platforms: 1,
      owners: 1,
      agents: { total: 7, active: 2, paused: 1, quarantined: 2, frozen: 1, deactivated: 1 },
      float: 9997,
      escrow_held: 0,
    })
    expect(seen.payments.today).toEqual({ count: 2, volume: 500.5, fees: 3 })
    expect(seen.payments.last_30_days).toEqual(seen.payments.today)
    for (let call = 0; call < 4; call++) await foldPayments(database, clock.now())
    expect(await read()).toEqual(seen)
  })

  test('the overview counts a payment as of today until midnight in India, and for 29 more days', async () => {
    const { payments } = await read()
    clock.set(new Date('2026-11-20T18:30:00.000Z'))
    expect((await read()).payments).toEqual({ today: none, last_30_days: payments.today })
    clock.set(new Date('2026-12-19T18:29:59.999Z'))
    expect((await read()).payments.last_30_days).toEqual(payments.today)
    clock.set(new Date('2026-12-19T18:30:00.000Z'))
    expect((await read()).payments.last_30_days).toEqual(none)
    expect(istDay(clock.now()) - istDay(NOON)).toBe(30)
  })

  test('the overview shows money in escrow and in pending payouts, and not what was released or paid out', async () => {
    const wallet = newUuid(NOON)
    for (const [status, amount] of [
      ['held', 50_000n],
      ['held', 50n],
      ['released', 7n],
      ['refunded', 9n],
    ] as const) {
      await database.query(
        `insert into escrows (agent_id, id, hold_sequence, amount_paise, status, created_at)
         values ($1, $2, 1, $3, $4, now())`,
        [wallet, newUuid(NOON), amount, status],
      )
    }
    for (const status of ['pending', 'pending', 'completed', 'failed', 'reversed']) {
      await database.query(
        `insert into payouts (agent_id, id, owner_id, kind, amount_paise, status, provider, bank_account,
           bank_account_last4, bank_ifsc, created_at)
         values ($1, $2, $1, 'withdraw', 1050, $3, 'sandbox', '', '1234', 'HDFC0001234', now())`,
        [wallet, newUuid(NOON), status],
      )
    }
    expect(await read()).toMatchObject({
      escrow_held: rupees(50_050n),
      payouts_pending: { count: 2, amount: 21 },
    })
  })

  test('the overview shows the last ledger check and the last reconciliation', async () => {
    const checkedAt = clock.now()
    reconciliation = { differences: 2, checkedAt }
    await database.query(`update scans set finished_at = $1 where name = 'ledger check'`, [checkedAt])
    const checkedAtText = checkedAt.toISOString()
    expect(await read()).toMatchObject({
      ledger: { balanced: true, checked_at: checkedAtText },
      reconciliation: { differences: 2, checked_at: checkedAtText },
    })
    await database.query(
      `insert into scan_findings (scan, subject, kind, detail, found_at, seen_round)
       values ('ledger check', $1, 'overdrawn', '', now(), 1)`,
      [newUuid(NOON)],
    )
    expect(await read()).toMatchObject({ ledger: { balanced: false, checked_at: checkedAtText } })
    await database.query('delete from scan_findings')
    expect(await read()).toMatchObject({ ledger: { balanced: true } })
    await database.query(
      `insert into scan_findings (scan, subject, kind, detail, found_at, seen_round)
       values ('audit log check', 'checkpoint', 'bad_checkpoint', '', now(), 1)`,
    )
    expect(await read()).toMatchObject({ ledger: { balanced: false, checked_at: checkedAtText } })
  })
})
