import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CheckedTable } from '../../../db/row-mac.ts'
import { FIRST_UUID } from '../../../kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { checkNextSlice } from './check-slice.ts'
import type { IntegrityContext } from './context.ts'
import { faultsOf, testContext, wholeRound } from './testing/stage.ts'

// How a round goes through rows; what is wrong with a row is said by tables of the test's own.

let db: TestDatabase
let clock: ManualClock
let context: IntegrityContext
const logged: string[] = []
const seen: string[] = []

/** A row is right while it says so. */
function tableOf(table: string): CheckedTable {
  return {
    table,
    first: FIRST_UUID,
    async check(tx, _vault, after, limit) {
      const rows = await tx.query<{ id: string; good: boolean }>(
        `select id, good from ${table} where id > $1 order by id limit $2`,
        [after, limit],
      )
      seen.push(...rows.map(({ id }) => `${table}/${Number(id.slice(-6))}`))
      return rows.map(({ id, good }) => ({ id, why: good ? null : 'is wrong' }))
    },
  }
}

beforeAll(async () => {
  db = await createTestDatabase()
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  context = { ...testContext(db.database, clock, logged), tables: ['apples', 'pears', 'plums'].map(tableOf) }
})
afterAll(() => db.drop())

beforeEach(async () => {
  clock.advance(60 * 60_000)
  logged.length = 0
  seen.length = 0
  for (const [table, count] of [
    ['apples', 7],
    ['pears', 0],
    ['plums', 4],
  ] as const) {
    await db.database.query(`drop table if exists ${table}; create table ${table} (id uuid primary key, good boolean);
      insert into ${table} select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, true
      from generate_series(1, ${count}) n`)
  }
})

const position = async () =>
  (await db.database.query('select rows_table as table, rows_after as after from book_check'))[0]

const EVERY = [1, 2, 3, 4, 5, 6, 7].map(n => `apples/${n}`).concat([1, 2, 3, 4].map(n => `plums/${n}`))

test('a round goes through all rows of all tables, once, in slices of any size', async () => {
  for (const wallets of [1, 3, 500]) {
    seen.length = 0
    await wholeRound(context, { rows: 100, wallets })
    expect(seen).toEqual(EVERY)
    expect(await position()).toEqual({ table: null, after: null })
  }
})

test('another node continues where the previous one stopped, and begins with the first table if it does not know that one', async () => {
  await checkNextSlice(context, clock.now(), { rows: 100, wallets: 3 })
  expect(seen).toEqual(EVERY.slice(0, 3))
  expect(await position()).toMatchObject({ table: 'apples' })
  const other = { ...context }
  await checkNextSlice(other, clock.now(), { rows: 100, wallets: 3 })
  expect(seen).toEqual(EVERY.slice(0, 6))
  await db.database.query(`update book_check set rows_table = 'cherries'`)
  seen.length = 0
  await wholeRound(other, { rows: 100, wallets: 500 })
  expect(seen).toEqual(EVERY)
})

test('a fault of a row is logged once, and heals when a round finds the row correct or deleted', async () => {
  const round = async () => {
    clock.advance(1)
    await wholeRound(context)
    return (await faultsOf(db.database)).map(({ subject }) => subject.replace(/0+-.*?0+(?=\d$)/, ''))
  }
  const set = (good: boolean) =>
    db.database.query(`update plums set good = $1 where id::text like '%3'`, [good])
  await set(false)
  expect([await round(), await round()]).toEqual([['plums/3'], ['plums/3']])
  expect(logged).toHaveLength(1)
  await set(true)
  expect(await round()).toEqual([])
  await set(false)
  expect(await round()).toEqual(['plums/3'])
  expect(logged).toHaveLength(2)
  await db.database.query('delete from plums where not good')
  expect(await round()).toEqual([])
})

test('at most a thousand faults are stored and logged, however many rows are altered', async () => {
  await db.database.query(`insert into pears select gen_random_uuid(), false from generate_series(1, 1500)`)
  await wholeRound(context)
  await wholeRound(context)
  expect([(await faultsOf(db.database)).length, logged.length]).toEqual([1_000, 1_000])
})
