import { beforeEach, expect } from 'vitest'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import { silentLogger } from '../kernel/logger.ts'
import { readOne } from '../ledger/index.ts'
import { LedgerBatch } from '../ledger/ledger-batch.ts'
import { TEST_VAULT } from '../testing/database.ts'
import { database, test } from '../testing/database-test.ts'
import { entity, insert, save } from './entity.ts'

interface Order {
  readonly agentId: Uuid
  readonly id: Uuid
  readonly item: string
  readonly status: string
  readonly dueAt: Date | null
}

const orders = entity<Order, 'agentId' | 'id'>({
  table: 'orders',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    item: 'item text',
    status: 'status text',
    dueAt: 'due_at timestamptz',
  },
  changes: ['status', 'dueAt'],
  uncovered: { due_at: 'says only when it is due' },
  recorded: {
    posted: `case r.item when 'posted' then array['end'] end`,
    prefix: 'ord',
    logged: ['approval.approved'],
    agrees: ({ status }, posted) => posted === null || status === 'closed',
  },
})

const NOW_MS = Date.parse('2026-11-23T10:00:00.000Z')
const ORDER: Order = {
  agentId: newUuid(new Date(NOW_MS)),
  id: newUuid(new Date(NOW_MS)),
  item: 'a "map"',
  status: 'open',
  dueAt: null,
}
const CLOSED: Order = { ...ORDER, status: 'closed' }

test.beforeAll(async () => {
  await database.query(
    'create table orders (agent_id uuid, id uuid primary key, item text, status text, due_at timestamptz, mac bytea)',
  )
})

beforeEach(() => database.query('truncate orders'))

async function write(batch: LedgerBatch): Promise<void> {
  await database.inTransaction(async tx => {
    for (const [writer, rows] of batch.writes()) await writer.write(tx, rows, TEST_VAULT)
  })
}

function stored(): Promise<Order | undefined> {
  return readOne({ database, vault: TEST_VAULT }, orders, ORDER)
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
  await database.query(`update orders set item = 'another'`)
  await expect(stored()).rejects.toThrow('altered row')
})

test('a row that no command of the batch has read is not changed', () => {
  const batch = new LedgerBatch(new Map(), NOW_MS)
  expect(() => save(batch, orders, CLOSED)).toThrow('a row is read before it is changed')
})

test('a claim of due rows returns those whose MAC fits and that agree with what was posted, and postpones all', async () => {
  const dueOrders = orders.leasedRows({ due: 'due_at', lease: `interval '1 minute'`, atOnce: 10 })
  const now = new Date(NOW_MS)
  const due = ['genuine', 'altered', 'posted'].map(item => ({ ...ORDER, id: newUuid(now), item, dueAt: now }))
  const batch = new LedgerBatch(new Map(), NOW_MS)
  for (const order of due) insert(batch, orders, order)
  await write(batch)
  await database.query(`update orders set item = 'another' where item = 'altered'`)
  const take = dueOrders.open()
  const context = { database, vault: TEST_VAULT, logger: silentLogger() }
  const later = new Date(NOW_MS + 60_000)
  expect(await take(context, now)).toEqual({ rows: [{ ...due[0], dueAt: later }], leased: 3 })
  expect(await take(context, now)).toEqual({ rows: [], leased: 0 })
})
