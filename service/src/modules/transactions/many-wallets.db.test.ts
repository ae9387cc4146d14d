import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queryable } from '../../db/database.ts'
import { pageOf } from '../../http/paging.ts'
import { creditSideOf, formatId, type Uuid } from '../../kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { insertManyAgents } from '../../testing/many-agents.ts'
import { networkContext, newOwner, newPlatform } from '../../testing/network.ts'
import { readOwnerStatement } from './read-statement.ts'
import { statementScope } from './statement-scope.ts'
import { countLines, selectAgentsOf, selectLines } from './statement-store.ts'

const AGENTS = 10_000
const EACH_PAYS = 3

let db: TestDatabase
let ownerId: Uuid
let wallets: readonly Uuid[]

beforeAll(async () => {
  db = await createTestDatabase()
  const context = networkContext(db.database, manualClock(new Date('2026-11-20T06:30:00.000Z')))
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  ownerId = owner.id
  await insertManyAgents(db.database, { platformId: platform.id, ownerId }, AGENTS)
  const other = await newOwner(context, platform.id)
  await insertManyAgents(db.database, { platformId: platform.id, ownerId: other.id }, AGENTS)
  wallets = await selectAgentsOf(db.database, [ownerId])
  // Each agent pays the next one, three times, in an order that has nothing to do with the agents' ids.
  await db.database.query(
    `insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
     select w[1 + (n * 7919) % $2::int4], ('01990000-0000-7000-8000-' || lpad(to_hex(n * 2), 12, '0'))::uuid,
       w[1 + (n * 7919 + 1) % $2::int4], 'payment', 1, now(), ''
     from (select $1::uuid[] as w) ws, generate_series(1, $2::int4 * ${EACH_PAYS}) n`,
    [wallets, AGENTS],
  )
  await db.database.query('update accounts set sequence = $1 where id = any($2::uuid[])', [
    2 * EACH_PAYS,
    wallets,
  ])
  await db.database.query('vacuum analyze')
}, 120_000)

afterAll(() => db.drop())

interface Asked {
  readonly wallets: unknown
  readonly rows: number
}

/** The database, noting which wallets it is asked for and how many rows it answers. */
function noting(asked: Asked[]): Queryable {
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      const rows = await db.database.query<Row>(text, values)
      asked.push({ wallets: values[0], rows: rows.length })
      return rows
    },
  }
}

const scope = () => statementScope(wallets, { type: null, status: null, span: { from: null, until: null } })

test('the pages of an owner of 10,000 agents follow each other without a gap and without a double', async () => {
  const caller = { kind: 'owner', ownerIds: [ownerId], sessionId: ownerId } as const
  const newest = AGENTS * EACH_PAYS
  const expected = Array.from({ length: 30 }, (_, line) => {
    const number = newest - Math.floor(line / 2)
    const id = `01990000-0000-7000-8000-${(number * 2).toString(16).padStart(12, '0')}`
    return formatId('txn', line % 2 === 0 ? creditSideOf(id) : id)
  })
  const first = await readOwnerStatement(db, caller, { limit: 15 })
  expect(first.pagination).toMatchObject({ total: 2 * newest })
  const cursor = first.pagination.next_cursor ?? ''
  const second = await readOwnerStatement(db, caller, { limit: 15, cursor })
  expect([...first.transactions, ...second.transactions].map(({ id }) => id)).toEqual(expected)
  const skipped = await readOwnerStatement(db, caller, { limit: 15, offset: 15 })
  expect(skipped.transactions).toEqual(second.transactions)
})

test('no statement reads more than 250 wallets, and those after the first only what is newer than the page’s last line', async () => {
  const pages: Asked[] = []
  const lines = await selectLines(noting(pages), scope(), pageOf({ limit: 20 }))
  expect(lines).toHaveLength(21)
  const counts: Asked[] = []
  expect(await countLines(noting(counts), scope())).toBe(BigInt(2 * AGENTS * EACH_PAYS))
  for (const asked of [pages, counts]) {
    expect(asked).toHaveLength(AGENTS / 250)
    for (const { wallets: some } of asked) expect(some).toHaveLength(250)
  }
  // Read from scratch, 40 parts would answer 840 lines.
  expect(pages.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(210)
})

test('the agents of an owner are found by an index alone', async () => {
  const plan = await db.database.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) select id from agents where owner_id = any($1::uuid[])`,
    [[ownerId]],
  )
  expect(plan.map(line => line['QUERY PLAN']).join('\n')).toContain('Index Only Scan')
})
