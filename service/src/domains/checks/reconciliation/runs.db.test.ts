import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { type Comparing, openComparing } from './ask.ts'
import { compareDaily } from './daily-run.ts'
import { PAGE_SIZE } from './page.ts'
import { readReconciliation } from './reconcile.ts'
import { selectRun, selectUnfinishedRun } from './run-store.ts'
import { takeStep } from './take-step.ts'
import {
  openReconciliationStage,
  orderIdOf,
  type ReconciliationStage,
} from './testing/reconciliation-stage.ts'

let stage: ReconciliationStage
let comparing: Comparing
/** What stands between the service and the gateway; each test chooses. */
let onGetOrder: (orderId: string) => Promise<void>

function between(gateway: PaymentGateway): PaymentGateway {
  return {
    ...gateway,
    async getOrder(key) {
      await onGetOrder(key.orderId)
      return gateway.getOrder(key)
    },
  }
}

beforeEach(async () => {
  onGetOrder = async () => undefined
  stage = await openReconciliationStage({ payments: between })
  comparing = openComparing(stage.context)
})
afterEach(() => stage.close())

const now = () => stage.world.clock.now()
const daily = (by = comparing) => compareDaily(by, now())

/** Runs what is due to its end; answers how many steps that took. */
async function runDue(): Promise<number> {
  let steps = 0
  while ((await daily()) > 0) steps++
  return steps
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

async function rowsOf(subject: string) {
  return stage.world.db.database.query<{
    id: string
    foundAt: Date
    lastSeenAt: Date
    closedAt: Date | null
  }>(
    `select id, found_at as "foundAt", last_seen_at as "lastSeenAt", closed_at as "closedAt"
     from reconciliation_differences where subject = $1 order by id`,
    [subject],
  )
}

test('a day has one run; a missed run is made later, and then none is due', async () => {
  expect(await readReconciliation(stage.world.db.database)).toEqual({ differences: null, checkedAt: null })
  expect(await runDue()).toBeGreaterThan(0)
  expect(await runDue()).toBe(0)
  expect((await readReconciliation(stage.world.db.database)).differences).toBe(0)
  stage.world.advance(5 * 86_400)
  expect(await runDue()).toBeGreaterThan(0)
  expect(await runDue()).toBe(0)
  const runs = await stage.world.db.database.query(`select id from reconciliation_runs`)
  expect(runs).toHaveLength(2)
})

test('a lasting difference keeps its found_at; a resolved one is closed, and reported again if it recurs', async () => {
  const subject = await tampered()
  await runDue()
  const [first] = await rowsOf(subject)
  stage.world.advance(86_400)
  await runDue()
  const [second, ...others] = await rowsOf(subject)
  expect(others).toEqual([])
  expect(second).toMatchObject({ id: first?.id, foundAt: first?.foundAt, closedAt: null })
  expect(second?.lastSeenAt.getTime()).toBeGreaterThan(first?.lastSeenAt.getTime() ?? 0)

  await stage.query(`update sandbox_payments set amount_paise = 100000`, [])
  stage.world.advance(86_400)
  await runDue()
  expect((await rowsOf(subject))[0]?.closedAt).not.toBeNull()
  expect(await stage.differences()).toEqual([])

  await stage.query(`update sandbox_payments set amount_paise = 50000`, [])
  stage.world.advance(86_400)
  await runDue()
  expect(await rowsOf(subject)).toHaveLength(2)
  expect(await stage.differences()).toHaveLength(1)
})

test('an open difference is rechecked, however old its funding is', async () => {
  await tampered()
  await runDue()
  stage.world.advance(200 * 86_400)
  await runDue()
  expect(await stage.differences()).toHaveLength(1)
  await stage.query(`update sandbox_payments set amount_paise = 100000`, [])
  await stage.compare(stage.context, 1)
  expect(await stage.differences()).toEqual([])
})

test('a run continues after a crash, and neither loses nor repeats a difference', async () => {
  const count = PAGE_SIZE + 5
  for (let index = 0; index < count; index++) await stage.fund('success')
  await stage.query(`update sandbox_payments set amount_paise = 50000`, [])
  let asked = 0
  onGetOrder = async () => {
    asked++
    // The second page breaks off in its middle.
    if (asked > PAGE_SIZE * 2 + 2) throw new Error('the process dies')
  }
  await expect(runDue()).rejects.toThrow('the process dies')
  expect(await stage.differences()).toHaveLength(PAGE_SIZE)

  const before = asked
  onGetOrder = async () => {
    asked++
  }
  await runDue()
  expect(await stage.differences()).toHaveLength(count)
  const id = await lastRunId()
  const run = await selectRun(stage.world.db.database, id)
  expect(run?.totals.fundings).toMatchObject({ count, oursPaise: BigInt(count) * 100_000n })
  // The first page was asked about and is not asked about again by its phase.
  expect(asked - before).toBeLessThan(before + count * 2)
})

async function lastRunId(): Promise<string> {
  const [row] = await stage.world.db.database.query<{ id: string }>(
    `select id from reconciliation_runs order by id desc limit 1`,
  )
  return row?.id ?? ''
}

/** Begins a comparison and stops in the middle of its first page; answers how to go on. */
async function hangInFirstPage() {
  await stage.fund('success')
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  onGetOrder = async () => {
    reached.resolve()
    await gate.promise
  }
  const hanging = daily()
  await reached.promise
  onGetOrder = async () => undefined
  return { letGo: () => gate.resolve(), hanging }
}

test('while one node runs the reconciliation, another does not', async () => {
  const { letGo, hanging } = await hangInFirstPage()
  expect(await daily()).toBe(0)
  letGo()
  expect(await hanging).toBe(1)
  expect(await runDue()).toBeGreaterThan(0)
  const runs = await stage.world.db.database.query(`select id from reconciliation_runs`)
  expect(runs).toHaveLength(1)
})

test('a node that hung beyond its lease is replaced, and its later results are discarded', async () => {
  const { letGo, hanging } = await hangInFirstPage()
  stage.world.advance(15 * 60)
  const id = await selectUnfinishedRun(stage.world.db.database)
  const overtaken = await takeStep(comparing, id ?? '')
  expect(overtaken?.phase).toBe('open_fundings')
  letGo()
  expect(await hanging).toBe(0)
  const run = await selectRun(stage.world.db.database, id ?? '')
  expect(run).toMatchObject({ phase: 'open_fundings', totals: { fundings: { count: 1 } } })
})

test('two nodes that begin at once make one run', async () => {
  await tampered()
  const nodes = [comparing, openComparing(stage.context)]
  for (;;) {
    const steps = await Promise.all(nodes.map(node => daily(node)))
    if (steps.every(step => step === 0)) break
  }
  const runs = await stage.world.db.database.query(`select id from reconciliation_runs`)
  expect(runs).toHaveLength(1)
  const run = await selectRun(stage.world.db.database, await lastRunId())
  expect(run).toMatchObject({ totals: { fundings: { count: 1 } } })
  expect(run?.finishedAt).not.toBeNull()
})

test('a record that changes between two queries is not a difference', async () => {
  const { funding } = await stage.world.open(await stage.world.newAgent())
  await stage.world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  await stage.query(`update fundings set next_check_at = null`, [])
  stage.world.advance(11 * 60)
  let looks = 0
  onGetOrder = async () => {
    looks++
    // The row was read before this answer; the refund is booked before the second look.
    if (looks === 1) {
      await stage.query(
        `insert into gateway_refunds (id, gateway, order_id, gateway_payment_id, amount_paise, currency, reason,
           status, created_at)
         select gen_random_uuid(), 'sandbox', order_id, id::text, amount_paise, 'INR', 'late', 'due', $1
         from sandbox_payments`,
        [now()],
      )
    }
  }
  await stage.compare()
  expect(await stage.differences()).toEqual([])
  expect(looks).toBeGreaterThan(1)
})
