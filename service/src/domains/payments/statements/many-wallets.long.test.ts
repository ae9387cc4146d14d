import { expect } from 'vitest'
import type { Queryable } from '../../../db/database.ts'
import { pageOf } from '../../../http/paging.ts'
import { creditSideOf, FIRST_UUID, formatId, type Uuid } from '../../../kernel/ids.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { insertManyAgents } from '../../../testing/many-agents.ts'
import { networkContext, newOwner, newPlatform } from '../../../testing/network.ts'
import { SELECT_AGENTS, selectAgentsOf } from '../../parties/agents/list-store.ts'
import { readOwnerStatement } from './read-statement.ts'
import { type StatementFilter, statementScope } from './statement-scope.ts'
import { countLines, selectLines } from './statement-store.ts'

/** More than a page of an owner's agents, for two owners together; at length, many more. */
const AGENTS = PROOF_LENGTH > 1 ? 10_000 : 6_000
const EACH_PAYS = 3

let ownerId: Uuid
let wallets: readonly Uuid[]
/** An owner whose agents paid one after the other, all to the same agent. */
let unevenId: Uuid

test.beforeAll(async () => {
  const context = networkContext(database, manualClock(new Date('2026-11-20T06:30:00.000Z')))
  const { platform } = await newPlatform(context)
  const owner = await newOwner(context, platform.id)
  ownerId = owner.id
  await insertManyAgents(database, { platformId: platform.id, ownerId }, AGENTS)
  const uneven = await newOwner(context, platform.id)
  unevenId = uneven.id
  await insertManyAgents(database, { platformId: platform.id, ownerId: unevenId }, AGENTS)
  wallets = await selectAgentsOf(database, [ownerId])
  // Each agent pays the next one, three times, in an order that is unrelated to the agents' ids.
  await database.query(
    `insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
     select w[1 + (n * 7919) % $2::int4], ('01990000-0000-7000-8000-' || lpad(to_hex(n * 2), 12, '0'))::uuid,
       w[1 + (n * 7919 + 1) % $2::int4], 'payment', 1, now(), ''
     from (select $1::uuid[] as w) ws, generate_series(1, $2::int4 * ${EACH_PAYS}) n`,
    [wallets, AGENTS],
  )
  await database.query('update accounts set sequence = $1 where id = any($2::uuid[])', [
    2 * EACH_PAYS,
    wallets,
  ])
  await database.query(
    `insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
     select w[2 + n / ${EACH_PAYS + 1}], ('01980000-0000-7000-8000-' || lpad(to_hex(n * 2), 12, '0'))::uuid, w[1],
       'payment', 1, now(), ''
     from (select $1::uuid[] as w) ws, generate_series(1, $2::int4 * ${EACH_PAYS}) n`,
    [await selectAgentsOf(database, [unevenId]), AGENTS],
  )
  await database.query('vacuum analyze')
}, 120_000)

interface RecordedStatement {
  readonly wallets: unknown
  readonly rows: number
}

/** The database, recording the wallets of each statement and the number of rows that it returns. */
function recording(statements: RecordedStatement[]): Queryable {
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      const rows = await database.query<Row>(text, values)
      statements.push({ wallets: values[0], rows: rows.length })
      return rows
    },
  }
}

const NO_FILTER: StatementFilter = { type: null, status: null, span: { from: null, until: null } }
const scope = (filter: Partial<StatementFilter> = {}) => statementScope(wallets, { ...NO_FILTER, ...filter })
const asOwner = (id: Uuid) => ({ kind: 'owner', ownerIds: [id], sessionId: id }) as const

const NEWEST = AGENTS * EACH_PAYS

/** The ids of lines by their place, the newest first: each payment has its credit line first. */
function linesAt(place: number, count: number, prefix = '0199'): string[] {
  return Array.from({ length: Math.max(0, Math.min(count, 2 * NEWEST - place)) }, (_, index) => {
    const number = NEWEST - Math.floor((place + index) / 2)
    const id = `${prefix}0000-0000-7000-8000-${(number * 2).toString(16).padStart(12, '0')}`
    return formatId('txn', (place + index) % 2 === 0 ? creditSideOf(id) : id)
  })
}

test(`the pages of an owner of ${AGENTS} agents follow each other without a gap and without a duplicate`, async () => {
  const caller = asOwner(ownerId)
  const expected = linesAt(0, 30)
  const first = await readOwnerStatement(db, caller, { limit: 15 })
  expect(first.pagination).toMatchObject({ total: 2 * NEWEST })
  const cursor = first.pagination.next_cursor ?? ''
  const second = await readOwnerStatement(db, caller, { limit: 15, cursor })
  expect([...first.transactions, ...second.transactions].map(({ id }) => id)).toEqual(expected)
  const skipped = await readOwnerStatement(db, caller, { limit: 15, offset: 15 })
  expect(skipped.transactions).toEqual(second.transactions)
})

const OFFSETS = [
  ...[1, 2, 999, 1_000, 2 * AGENTS - 1, 2 * AGENTS + 1, Math.floor(NEWEST * 1.1), Math.floor(NEWEST * 1.52)],
  ...[2 * NEWEST - 5, 2 * NEWEST - 1, 2 * NEWEST, 2 * NEWEST + 1, 1_000_000],
]

test.each(OFFSETS)(
  'an offset of %i skips exactly as many lines, however they are distributed over the wallets',
  async offset => {
    const owners = [
      { id: ownerId, prefix: '0199' },
      { id: unevenId, prefix: '0198' },
    ]
    for (const { id, prefix } of owners) {
      const { transactions } = await readOwnerStatement(db, asOwner(id), { limit: 4, offset })
      expect(transactions.map(line => line.id)).toEqual(linesAt(offset, 4, prefix))
    }
  },
)

test('an offset applies to a filtered list: of one type every second line is skipped', async () => {
  const query = { limit: 2, offset: NEWEST * 0.7, type: 'pay_out' } as const
  const { transactions, pagination } = await readOwnerStatement(db, asOwner(ownerId), query)
  expect(transactions.map(({ id }) => id)).toEqual(
    [linesAt(NEWEST * 1.4 + 1, 1), linesAt(NEWEST * 1.4 + 3, 1)].flat(),
  )
  expect(pagination.total).toBe(NEWEST)
})

test('lines are skipped some wallets at a time too, and each statement returns a bounded number of them', async () => {
  for (const offset of [1, 100, NEWEST, Math.floor(NEWEST * 1.83)]) {
    const statements: RecordedStatement[] = []
    const lines = await selectLines(recording(statements), scope(), pageOf({ limit: 20, offset }))
    expect(lines).toHaveLength(21)
    for (const { wallets: some, rows } of statements) {
      expect(sizeOf(some)).toBeLessThanOrEqual(1_000)
      expect(rows).toBeLessThanOrEqual(20_000)
    }
  }
})

test('a statement that reads all lines of its wallets reads several wallets with few transfers, or one', async () => {
  const many = wallets.slice(100, 110)
  const setSequence = (sequence: number) =>
    database.query('update accounts set sequence = $1 where id = any($2::uuid[])', [sequence, many])
  await setSequence(60_000)
  try {
    const today = scope({ span: { from: new Date('2025-01-01T00:00:00.000Z'), until: null } })
    const statements: RecordedStatement[] = []
    expect(await countLines(recording(statements), today)).toBe(BigInt(2 * NEWEST))
    const counted = statements.map(({ wallets: some }) => some).filter(some => Array.isArray(some))
    expect(counted.flat()).toHaveLength(AGENTS)
    for (const some of counted) {
      expect(some.length).toBeLessThanOrEqual(250)
      expect(some.filter(id => many.includes(String(id))).length).toBeLessThanOrEqual(1)
    }
  } finally {
    await setSequence(2 * EACH_PAYS)
  }
})

/** The wallets of a list, given as a parameter or as array text. */
function sizeOf(list: unknown): number {
  if (Array.isArray(list)) return list.length
  return typeof list === 'string' ? list.split(',').length : 0
}

test('no statement reads more than 250 wallets, and later statements read only lines newer than the page’s last line', async () => {
  const pages: RecordedStatement[] = []
  const lines = await selectLines(recording(pages), scope(), pageOf({ limit: 20 }))
  expect(lines).toHaveLength(21)
  const counts: RecordedStatement[] = []
  expect(await countLines(recording(counts), scope())).toBe(BigInt(2 * AGENTS * EACH_PAYS))
  for (const statements of [pages, counts]) {
    expect(statements).toHaveLength(AGENTS / 250)
    for (const { wallets: some } of statements) expect(some).toHaveLength(250)
  }
  // Read without that bound, each part would return 21 lines.
  expect(pages.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(210)
})

test('the agents of an owner are found by an index alone, some at a time', async () => {
  const session = await database.connect()
  await session.query(`prepare agents as ${SELECT_AGENTS}`)
  await session.query('set plan_cache_mode = force_generic_plan')
  const plan = await session.query<{ 'QUERY PLAN': string }>(
    `explain (costs off) execute agents ('${ownerId}', '${FIRST_UUID}', 5000)`,
  )
  await session.release()
  expect(plan.map(line => line['QUERY PLAN']).join('\n')).toContain('Index Only Scan')
  const statements: RecordedStatement[] = []
  expect(await selectAgentsOf(recording(statements), [ownerId, unevenId])).toHaveLength(2 * AGENTS)
  expect(Math.max(...statements.map(({ rows }) => rows))).toBe(5_000)
})
