import { afterAll, expect } from 'vitest'
import type { Connection, Queryable } from '../../db/database.ts'
import { newUuid } from '../../kernel/ids.ts'
import { database, test } from '../../testing/database-test.ts'
import { selectPayments } from './list-store.ts'
import { findPaymentOf } from './store.ts'

const PAYMENTS = 10_000
const SKIPPED = 500
const FETCHED = 21
const now = new Date('2026-11-20T06:30:00.000Z')
const [payer, payee] = [newUuid(now), newUuid(now)]
const PAYMENT = newUuid(now)
let session: Connection

test.beforeAll(async () => {
  await grow()
  session = await database.connect()
  await session.query('set plan_cache_mode = force_generic_plan')
})

afterAll(async () => {
  await session.release()
})

/** One payer that made every payment, half of each refunded. */
async function grow(): Promise<void> {
  await database.query(`
    create temporary table paid as
      select '${PAYMENT}'::uuid as id union all select gen_random_uuid() from generate_series(2, ${PAYMENTS});
    insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
      select '${payer}', id, '${payee}', 'payment', 2, now(), '' from paid;
    insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal, linked_id)
      select '${payee}', gen_random_uuid(), '${payer}', 'refund', 1, now(), '', id from paid`)
  await database.query('vacuum analyze')
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

/** The plan of the one statement that is run. */
async function planOf(read: (db: Queryable) => Promise<unknown>): Promise<PlanNode[]> {
  const plans: PlanNode[][] = []
  await read({
    async query(text, values = []) {
      await session.query(`prepare plan as ${text}`)
      const literals = values.map(value => `'${value instanceof Date ? value.toISOString() : String(value)}'`)
      const [row] = await session.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) execute plan (${literals.join(', ')})`,
      )
      await session.query('deallocate plan')
      plans.push(row === undefined ? [] : nodesOf(row['QUERY PLAN'][0].Plan))
      return []
    },
  })
  expect(plans).toHaveLength(1)
  return plans.flat()
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** How often the index of refunds was scanned. */
function lookedFor(nodes: readonly PlanNode[]): number[] {
  return nodes.filter(node => node['Index Name'] === 'transfers_linked').map(node => node['Actual Loops'])
}

function scanned(nodes: readonly PlanNode[]): string[] {
  return nodes.flatMap(node =>
    node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'transfers' ? ['transfers'] : [],
  )
}

test('a payment and its refunds are found by index', async () => {
  const nodes = await planOf(queryable => findPaymentOf(queryable, payer, PAYMENT))
  expect([scanned(nodes), lookedFor(nodes)]).toEqual([[], [1]])
})

test('refunds are found by index, for the rows of the page and not for those that are skipped', async () => {
  const filter = { payer, idempotencyKey: null, reference: null, now }
  const page = { limit: FETCHED - 1, fetch: FETCHED, offset: SKIPPED, before: null }
  const nodes = await planOf(queryable => selectPayments(queryable, filter, page))
  expect([scanned(nodes), lookedFor(nodes)]).toEqual([[], [FETCHED]])
})
