import { afterAll, expect } from 'vitest'
import { db, test } from '../testing/database-test.ts'
import { someoneWaitsForLock } from '../testing/wait-for-lock.ts'
import { type Database, DatabaseBusy, onBehalfOf, openDatabase, type WorkOrigin } from './database.ts'

let database: Database
let observer: Database

test.beforeAll(async () => {
  await db.database.query(`create table rows_to_lock as select id from generate_series(1, 40) id`)
  database = openDatabase(db.url, { keptForCallers: 3 })
  observer = openDatabase(db.url)
})

afterAll(async () => {
  await database.close()
  await observer.close()
})

const shared = (party: string): WorkOrigin => ({ purpose: 'shared', party })
const lockRow = (on: Database, id: number, turns: readonly string[] = []) =>
  on.inTransaction(
    async tx => void (await tx.query(`select id from rows_to_lock where id = $1 for update`, [id])),
    {
      turns,
    },
  )

/** Holds the locks of these rows while the work runs. */
async function whileLocked(ids: readonly number[], work: () => Promise<void>): Promise<void> {
  await observer.inTransaction(async tx => {
    await tx.query(`select id from rows_to_lock where id = any($1::int[]) for update`, [ids])
    await work()
  })
}

test('a caller whose requests all wait for locks leaves connections to others', async () => {
  const waiting: Promise<void>[] = []
  await whileLocked([1], async () => {
    for (let request = 0; request < 40; request++) {
      waiting.push(onBehalfOf(shared('crowd'), () => lockRow(database, 1)))
    }
    await someoneWaitsForLock(observer)
    expect(await onBehalfOf(shared('stranger'), () => database.query('select 1 as one'))).toEqual([
      { one: 1 },
    ])
  })
  await Promise.all(waiting)
})

test('of transactions that name one row, only one waits for its lock with a connection', async () => {
  const waiting: Promise<void>[] = []
  await whileLocked([2], async () => {
    for (let request = 0; request < 40; request++) {
      waiting.push(onBehalfOf(shared(`caller ${request}`), () => lockRow(database, 2, ['row 2'])))
    }
    await someoneWaitsForLock(observer)
    expect(await onBehalfOf(shared('stranger'), () => database.query('select 1 as one'))).toEqual([
      { one: 1 },
    ])
    const [row] = await observer.query<{ count: bigint }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    expect(row?.count).toBe(1n)
  })
  await Promise.all(waiting)
})

test('authentication, administrators, stops and the probe still work when every shared connection is in use', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => index + 3)
  const waiting: Promise<void>[] = []
  await whileLocked(ids, async () => {
    for (const id of ids) waiting.push(onBehalfOf(shared(`platform ${id % 5}`), () => lockRow(database, id)))
    await someoneWaitsForLock(observer)
    const one = [{ one: 1 }]
    expect(await database.lookUps.query('select 1 as one')).toEqual(one)
    for (const purpose of ['administration', 'stop'] as const) {
      const asked = onBehalfOf({ purpose, party: 'x' }, () => database.query('select 1 as one'))
      expect(await asked).toEqual(one)
    }
    expect(await database.ready()).toBe(true)
  })
  await Promise.all(waiting)
})

test('jobs leave connections to callers', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => index + 24)
  const waiting: Promise<void>[] = []
  await whileLocked(ids, async () => {
    for (const id of ids) waiting.push(lockRow(database, id))
    await someoneWaitsForLock(observer)
    expect(await onBehalfOf(shared('stranger'), () => database.query('select 1 as one'))).toEqual([
      { one: 1 },
    ])
  })
  await Promise.all(waiting)
})

test('a lock timeout fails with DatabaseBusy, and the connection serves the next request', async () => {
  const single = openDatabase(db.url, { maxConnections: 1 })
  const briefly = () =>
    single.inTransaction(async tx => {
      await tx.query(`set local lock_timeout = '10ms'`)
      await tx.query(`select id from rows_to_lock where id = 40 for update`, [])
    })
  await observer.inTransaction(async tx => {
    await tx.query(`select id from rows_to_lock where id = 40 for update`)
    await expect(briefly()).rejects.toBeInstanceOf(DatabaseBusy)
  })
  const [setting] = await single.query<{ lock_timeout: string }>('show lock_timeout')
  expect(setting?.lock_timeout).toBe('5s')
  await single.close()
})
