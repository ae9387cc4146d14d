import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import { readOne } from '../ledger/index.ts'
import { LedgerBatch } from '../ledger/ledger-batch.ts'
import { createTestDatabase, TEST_VAULT, type TestDatabase } from '../testing/database.ts'
import { entity, insert, save } from './entity.ts'

interface Order {
  readonly agentId: Uuid
  readonly id: Uuid
  readonly item: string
  readonly status: string
}

const orders = entity<Order, 'agentId' | 'id'>({
  table: 'orders',
  key: ['agentId', 'id'],
  columns: { agentId: 'agent_id uuid', id: 'id uuid', item: 'item text', status: 'status text' },
  changes: ['status'],
  uncovered: {},
  recorded: { posted: 'null::text[]', prefix: 'ord', logged: ['approval.approved'], agrees: () => true },
})

const NOW_MS = Date.parse('2026-11-23T10:00:00.000Z')
const ORDER: Order = {
  agentId: newUuid(new Date(NOW_MS)),
  id: newUuid(new Date(NOW_MS)),
  item: 'a "map"',
  status: 'open',
}
const CLOSED: Order = { ...ORDER, status: 'closed' }

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
  await db.database.query(
    'create table orders (agent_id uuid, id uuid primary key, item text, status text, mac bytea)',
  )
})

beforeEach(() => db.database.query('truncate orders'))

afterAll(() => db.drop())

async function write(batch: LedgerBatch): Promise<void> {
  await db.database.inTransaction(async tx => {
    for (const [writer, rows] of batch.writes()) await writer.write(tx, rows, TEST_VAULT)
  })
}

function stored(): Promise<Order | undefined> {
  return readOne({ database: db.database, vault: TEST_VAULT }, orders, ORDER)
}

test('a row that a batch inserts is seen and changed by its later commands, and is written once', async () => {
  const batch = new LedgerBatch(new Map(), NOW_MS)
  insert(batch, orders, ORDER)
  expect(batch.read(orders, ORDER)).toEqual(ORDER)
  save(batch, orders, CLOSED)
  expect(batch.read(orders, ORDER)).toEqual(CLOSED)
  await write(batch)
  expect(await stored()).toEqual(CLOSED)
})

test('a row that a later batch changes gets its new state and a new MAC', async () => {
  const first = new LedgerBatch(new Map(), NOW_MS)
  insert(first, orders, ORDER)
  await write(first)
  const later = new LedgerBatch(new Map(), NOW_MS)
  later.set(orders, ORDER, (await stored()) ?? ORDER)
  save(later, orders, CLOSED)
  await write(later)
  expect(await stored()).toEqual(CLOSED)
})

test('a row changed by hand is refused', async () => {
  const batch = new LedgerBatch(new Map(), NOW_MS)
  insert(batch, orders, ORDER)
  await write(batch)
  await db.database.query(`update orders set item = 'another'`)
  await expect(stored()).rejects.toThrow('altered row')
})

test('a row that no command of the batch has read is not changed', () => {
  const batch = new LedgerBatch(new Map(), NOW_MS)
  expect(() => save(batch, orders, CLOSED)).toThrow('a row is read before it is changed')
})
