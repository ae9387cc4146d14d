import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { AT_ONCE, AWAY_AFTER, AWAY_MS, type Comparing, openComparing } from './ask.ts'
import { compareDaily } from './daily-run.ts'
import { selectRun } from './run-store.ts'
import {
  openReconciliationStage,
  orderIdOf,
  type ReconciliationStage,
} from './testing/reconciliation-stage.ts'

let stage: ReconciliationStage
let comparing: Comparing
/** What stands between the service and the gateway; each test chooses. */
let onGetOrder: (orderId: string) => Promise<'answer' | 'silence'>
let listing: 'answer' | 'silence'

const SILENCE = { kind: 'unknown', message: 'no answer' } as const

function between(gateway: PaymentGateway): PaymentGateway {
  return {
    ...gateway,
    getOrder: async key => ((await onGetOrder(key.orderId)) === 'silence' ? SILENCE : gateway.getOrder(key)),
    listRecords: async (from, to, cursor) =>
      listing === 'silence' ? SILENCE : gateway.listRecords(from, to, cursor),
  }
}

beforeEach(async () => {
  onGetOrder = async () => 'answer'
  listing = 'answer'
  stage = await openReconciliationStage({ payments: between })
  comparing = openComparing(stage.context)
})
afterEach(() => stage.close())

const now = () => stage.world.clock.now()
const daily = (by = comparing) => compareDaily(by, now())

/** Runs what is due to its end. */
async function runDue(): Promise<void> {
  while ((await daily()) > 0);
}

async function tampered() {
  const funding = await stage.fund('success')
  await stage.query(`update sandbox_payments set amount_paise = 50000 where order_id = $1`, [
    orderIdOf(funding),
  ])
  await lookNoMore()
  return orderIdOf(funding)
}

/** Only a comparison looks at what there is from now on. */
function lookNoMore(): Promise<void> {
  return stage.query(`update fundings set next_check_at = null`, [])
}

async function lastRunId(): Promise<string> {
  const [row] = await stage.world.db.database.query<{ id: string }>(
    `select id from reconciliation_runs order by id desc limit 1`,
  )
  return row?.id ?? ''
}

test('a record without a response of the gateway counts as unchecked until it responds', async () => {
  const funding = await stage.fund('success')
  await lookNoMore()
  onGetOrder = async () => 'silence'
  const report = await stage.compare()
  expect(report).toMatchObject({ differences: 0, unchecked: 1 })
  expect(await stage.differences()).toMatchObject([
    { kind: 'unchecked', subject: orderIdOf(funding), ours: 'completed 1000.00', theirs: null },
  ])
  onGetOrder = async () => 'answer'
  stage.world.advance(20 * 86_400)
  expect(await stage.compare(stage.context, 1)).toMatchObject({ differences: 0, unchecked: 0 })
})

test('a difference stays open while the gateway does not respond about it', async () => {
  const subject = await tampered()
  await stage.compare()
  onGetOrder = async () => 'silence'
  stage.world.advance(20 * 86_400)
  const report = await stage.compare(stage.context, 1)
  expect(report).toMatchObject({ differences: 1, unchecked: 1 })
  expect((await stage.differences()).map(seen => [seen.kind, seen.subject])).toEqual([
    ['unchecked', subject],
    ['amount_differs', subject],
  ])
})

test('records that could not be read count as unchecked, and the next runs read them again', async () => {
  listing = 'silence'
  await runDue()
  expect(await stage.differences()).toMatchObject([{ kind: 'unchecked', theirs: null }])
  stage.world.advance(30 * 86_400)
  await runDue()
  listing = 'answer'
  stage.world.advance(86_400)
  await runDue()
  expect(await stage.differences()).toEqual([])
  const run = await selectRun(stage.world.db.database, await lastRunId())
  expect((run?.to.getTime() ?? 0) - (run?.from.getTime() ?? 0)).toBeGreaterThan(120 * DAY_MS)
})

test('a query without a response is repeated after a pause', async () => {
  await stage.fund('success')
  let asked = 0
  onGetOrder = async () => (asked++ < 2 ? 'silence' : 'answer')
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
  await lookNoMore()
  let underWay = 0
  let most = 0
  onGetOrder = async () => {
    most = Math.max(most, ++underWay)
    await nextTurn()
    underWay--
    return 'answer'
  }
  expect(await stage.compare()).toMatchObject({ differences: 0, unchecked: 0 })
  expect(most).toBe(AT_ONCE)
})

test('an unavailable gateway gets no queries for a while after some failures, and then again', async () => {
  const count = AWAY_AFTER * 2
  for (let index = 0; index < count; index++) await stage.fund('success')
  let asked = 0
  onGetOrder = async () => {
    asked++
    return 'silence'
  }
  listing = 'silence'
  await runDue()
  expect(asked).toBeGreaterThanOrEqual(AWAY_AFTER)
  expect(asked).toBeLessThan(AWAY_AFTER + AT_ONCE)
  expect(await stage.differences()).toHaveLength(count + 1)
  onGetOrder = async () => 'answer'
  listing = 'answer'
  stage.world.advance(86_400)
  expect(86_400_000).toBeGreaterThan(AWAY_MS)
  await runDue()
  expect(await stage.differences()).toEqual([])
})
