import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { readScan } from '../../../operations/scan.ts'
import { openReconciler, type Reconciler } from './query-gateway.ts'
import { reconcileNightly } from './reconcile.ts'
import { readReconciliation } from './report.ts'
import { PAGE_SIZE, type Run } from './run.ts'
import {
  openReconciliationStage,
  orderIdOf,
  type ReconciliationStage,
} from './testing/reconciliation-stage.ts'

let stage: ReconciliationStage
let reconciler: Reconciler
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
  reconciler = openReconciler(stage.context)
})
afterEach(() => stage.close())

const now = () => stage.world.clock.now()
const nextPage = (by = reconciler) => reconcileNightly(by)

/** Completes the run that is due; returns how many pages it had. */
async function runDue(): Promise<number> {
  let pages = 0
  while ((await nextPage()) > 0) pages++
  return pages
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
  expect(await completeRuns()).toHaveLength(2)
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
  expect(await runDue()).toBe(0)
  stage.world.advance(10)
  await runDue()
  expect(await stage.differences()).toHaveLength(count)
  expect(await completeRuns()).toMatchObject([
    { totals: { fundings: [count, String(count * 100_000), String(count * 50_000)] } },
  ])
  // The first page was asked about and is not asked about again by its phase.
  expect(asked - before).toBeLessThan(before + count * 2)
})

interface CompleteRun {
  readonly totals: Readonly<Record<string, readonly [count: number, ours: string, theirs: string]>>
}

function completeRuns(): Promise<CompleteRun[]> {
  return stage.world.db.database.query<CompleteRun>(`select totals from reconciliation_runs order by id`)
}

const runUnderWay = async () => (await readScan<Run>(stage.world.db.database, 'reconciliation')).cursor

/** Begins a run and stops in the middle of its first page; returns how to continue. */
async function hangInFirstPage() {
  await stage.fund('success')
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  onGetOrder = async () => {
    reached.resolve()
    await gate.promise
  }
  const hanging = nextPage()
  await reached.promise
  onGetOrder = async () => undefined
  return { letGo: () => gate.resolve(), hanging }
}

test('while one node runs the reconciliation, another does not', async () => {
  const { letGo, hanging } = await hangInFirstPage()
  expect(await nextPage()).toBe(0)
  letGo()
  expect(await hanging).toBe(1)
  expect(await runDue()).toBeGreaterThan(0)
  expect(await completeRuns()).toHaveLength(1)
})

test('a node that hung beyond its lease is replaced, and its later results are discarded', async () => {
  const { letGo, hanging } = await hangInFirstPage()
  stage.world.advance(15 * 60)
  expect(await nextPage()).toBe(1)
  const overtaken = await runUnderWay()
  expect(overtaken).toMatchObject({ phase: 'open_fundings', totals: { fundings: { count: 1 } } })
  letGo()
  expect(await hanging).toBe(0)
  expect(await runUnderWay()).toEqual(overtaken)
})

test('two nodes that begin at once make one run', async () => {
  await tampered()
  const nodes = [reconciler, openReconciler(stage.context)]
  for (;;) {
    const pages = await Promise.all(nodes.map(nextPage))
    if (pages.every(page => page === 0)) break
  }
  expect(await completeRuns()).toMatchObject([{ totals: { fundings: [1, '100000', '50000'] } }])
})

test('a record that changes between two queries is not a difference', async () => {
  const { funding } = await stage.world.open(await stage.world.newAgentOfNewOwner())
  await stage.world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  await stage.query(`update fundings set next_check_at = null`, [])
  stage.world.advance(11 * 60)
  let comparisons = 0
  onGetOrder = async () => {
    comparisons++
    // The row was read before this response; the refund is recorded before the second comparison.
    if (comparisons === 1) {
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
  expect(comparisons).toBeGreaterThan(1)
})
