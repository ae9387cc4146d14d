import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import {
  AT_ONCE,
  openReconciler,
  type Reconciler,
  UNAVAILABLE_AFTER,
  UNAVAILABLE_MS,
} from './query-gateway.ts'
import { reconcileNightly } from './reconcile.ts'
import {
  openReconciliationStage,
  orderIdOf,
  type ReconciliationStage,
} from './testing/reconciliation-stage.ts'

let stage: ReconciliationStage
let reconciler: Reconciler
/** What stands between the service and the gateway; each test chooses. */
let onGetOrder: (orderId: string) => Promise<'response' | 'no response'>
let listing: 'response' | 'no response'

const NO_RESPONSE = { kind: 'unknown', message: 'no response' } as const

function between(gateway: PaymentGateway): PaymentGateway {
  return {
    ...gateway,
    getOrder: async key =>
      (await onGetOrder(key.orderId)) === 'no response' ? NO_RESPONSE : gateway.getOrder(key),
    listRecords: async (from, to, cursor) =>
      listing === 'no response' ? NO_RESPONSE : gateway.listRecords(from, to, cursor),
  }
}

beforeEach(async () => {
  onGetOrder = async () => 'response'
  listing = 'response'
  stage = await openReconciliationStage({ payments: between })
  reconciler = openReconciler(stage.context)
})
afterEach(() => stage.close())

/** Completes the run that is due. */
async function runDue(): Promise<void> {
  while ((await reconcileNightly(reconciler)) > 0);
}

async function tampered() {
  const funding = await stage.fund('success')
  await stage.query(`update sandbox_payments set amount_paise = 50000 where order_id = $1`, [
    orderIdOf(funding),
  ])
  await stopChecks()
  return orderIdOf(funding)
}

/** From now on only the reconciliation checks fundings. */
function stopChecks(): Promise<void> {
  return stage.query(`update fundings set next_check_at = null`, [])
}

test('a record without a response of the gateway counts as unchecked until it responds', async () => {
  const funding = await stage.fund('success')
  await stopChecks()
  onGetOrder = async () => 'no response'
  const report = await stage.compare()
  expect(report).toMatchObject({ differences: 0, unchecked: 1 })
  expect(await stage.differences()).toMatchObject([
    { kind: 'unchecked', subject: orderIdOf(funding), ours: 'completed 1000.00', theirs: null },
  ])
  onGetOrder = async () => 'response'
  stage.world.advance(20 * 86_400)
  expect(await stage.compare(stage.context, 1)).toMatchObject({ differences: 0, unchecked: 0 })
})

test('a difference stays open while the gateway does not respond about it', async () => {
  const subject = await tampered()
  await stage.compare()
  onGetOrder = async () => 'no response'
  stage.world.advance(20 * 86_400)
  const report = await stage.compare(stage.context, 1)
  expect(report).toMatchObject({ differences: 1, unchecked: 1 })
  expect((await stage.differences()).map(seen => [seen.kind, seen.subject])).toEqual([
    ['unchecked', subject],
    ['amount_differs', subject],
  ])
})

test('records that could not be read count as unchecked, and the next runs read them again', async () => {
  listing = 'no response'
  await runDue()
  expect(await stage.differences()).toMatchObject([{ kind: 'unchecked', theirs: null }])
  stage.world.advance(30 * 86_400)
  await runDue()
  listing = 'response'
  stage.world.advance(86_400)
  await runDue()
  expect(await stage.differences()).toEqual([])
  const [run] = await stage.world.db.database.query<{ from: Date; to: Date }>(
    `select from_at as "from", to_at as "to" from reconciliation_runs order by id desc limit 1`,
  )
  expect((run?.to.getTime() ?? 0) - (run?.from.getTime() ?? 0)).toBeGreaterThan(120 * DAY_MS)
})

test('a query without a response is repeated after a pause', async () => {
  await stage.fund('success')
  let asked = 0
  onGetOrder = async () => (asked++ < 2 ? 'no response' : 'response')
  expect(await stage.compare({ ...stage.context, pausesMs: [0, 0] })).toMatchObject({ unchecked: 0 })
  expect(asked).toBe(3)
})

test('a payout of another provider and a funding of another gateway count as unchecked', async () => {
  await stage.payOut()
  await stage.query(`update payouts set provider = 'gone'`, [])
  await stage.query(`update fundings set gateway = 'gone'`, [])
  const report = await stage.compare()
  expect(report).toMatchObject({ unchecked: 2 })
})

test('a run never has more than eight concurrent queries to a gateway', async () => {
  for (let index = 0; index < AT_ONCE * 3; index++) await stage.fund('success')
  await stopChecks()
  let underWay = 0
  let most = 0
  onGetOrder = async () => {
    most = Math.max(most, ++underWay)
    await nextTurn()
    underWay--
    return 'response'
  }
  expect(await stage.compare()).toMatchObject({ differences: 0, unchecked: 0 })
  expect(most).toBe(AT_ONCE)
})

test('an unavailable gateway gets no queries for a while after some failures, and then again', async () => {
  const count = UNAVAILABLE_AFTER * 2
  for (let index = 0; index < count; index++) await stage.fund('success')
  let asked = 0
  onGetOrder = async () => {
    asked++
    return 'no response'
  }
  listing = 'no response'
  await runDue()
  expect(asked).toBeGreaterThanOrEqual(UNAVAILABLE_AFTER)
  expect(asked).toBeLessThan(UNAVAILABLE_AFTER + AT_ONCE)
  expect(await stage.differences()).toHaveLength(count + 1)
  onGetOrder = async () => 'response'
  listing = 'response'
  stage.world.advance(86_400)
  expect(86_400_000).toBeGreaterThan(UNAVAILABLE_MS)
  await runDue()
  expect(await stage.differences()).toEqual([])
})
