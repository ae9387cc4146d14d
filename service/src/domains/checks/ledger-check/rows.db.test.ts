import { beforeEach, expect } from 'vitest'
import type { CheckedTable } from '../../../db/row-mac.ts'
import { FIRST_UUID } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import type { LedgerCheckContext } from '../context.ts'
import { checkNextSlice, readLedgerCheck } from './check-ledger.ts'
import { faultsOf, testContext, wholeRound } from './testing/stage.ts'

let clock: ManualClock
let context: LedgerCheckContext
const logged: string[] = []
const seen: string[] = []

/** A table whose rows are correct while their column `good` is true. */
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

test.beforeAll(async () => {
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  context = { ...testContext(database, clock, logged), tables: ['apples', 'pears', 'plums'].map(tableOf) }
})

beforeEach(async () => {
  clock.advance(60 * 60_000)
  logged.length = 0
  seen.length = 0
  for (const [table, count] of [
    ['apples', 7],
    ['pears', 0],
    ['plums', 4],
  ] as const) {
    await database.query(`drop table if exists ${table}; create table ${table} (id uuid primary key, good boolean);
      insert into ${table} select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, true
      from generate_series(1, ${count}) n`)
  }
})

const position = async () => (await readLedgerCheck(database)).cursor?.rows ?? null

const EVERY = [1, 2, 3, 4, 5, 6, 7].map(n => `apples/${n}`).concat([1, 2, 3, 4].map(n => `plums/${n}`))

test('a round goes through all rows of all tables, once, in slices of any size', async () => {
  for (const wallets of [1, 3, 500]) {
    seen.length = 0
    await wholeRound(context, { rows: 100, wallets })
    expect(seen).toEqual(EVERY)
    expect(await position()).toBeNull()
  }
})

test('another node continues where the previous one stopped, and begins with the first table if it does not know that one', async () => {
  await checkNextSlice(context, { rows: 100, wallets: 3 })
  expect(seen).toEqual(EVERY.slice(0, 3))
  expect(await position()).toMatchObject({ table: 'apples' })
  const other = { ...context }
  await checkNextSlice(other, { rows: 100, wallets: 3 })
  expect(seen).toEqual(EVERY.slice(0, 6))
  await database.query(`update scans set cursor = jsonb_set(cursor, '{rows,table}', '"cherries"')`)
  seen.length = 0
  await wholeRound(other, { rows: 100, wallets: 500 })
  expect(seen).toEqual(EVERY)
})

test('a fault of a row is logged once, and is resolved when a round finds the row correct or deleted', async () => {
  const round = async () => {
    clock.advance(1)
    await wholeRound(context)
    return (await faultsOf(database)).map(({ subject }) => subject.replace(/0+-.*?0+(?=\d$)/, ''))
  }
  const set = (good: boolean) => database.query(`update plums set good = $1 where id::text like '%3'`, [good])
  await set(false)
  expect([await round(), await round()]).toEqual([['plums/3'], ['plums/3']])
  expect(logged).toHaveLength(1)
  await set(true)
  expect(await round()).toEqual([])
  await set(false)
  expect(await round()).toEqual(['plums/3'])
  expect(logged).toHaveLength(2)
  await database.query('delete from plums where not good')
  expect(await round()).toEqual([])
})

test('at most a thousand faults are stored and logged, however many rows are altered', async () => {
  await database.query(`insert into pears select gen_random_uuid(), false from generate_series(1, 1500)`)
  await wholeRound(context)
  await wholeRound(context)
  expect([(await faultsOf(database)).length, logged.length]).toEqual([1_000, 1_000])
})
