import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import type { Row } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { database, db, test } from '../testing/database-test.ts'
import { readScan } from './scan.ts'

// A database of the release before, in which each of the four scans had a table of its own.

const MIGRATIONS = join(import.meta.dirname, '../db/migrations')
const SCANS = readdirSync(MIGRATIONS).find(name => name.endsWith('.scans.sql')) ?? ''
const WALLET = '019a8000-0000-7000-8000-000000000001'
const [EARLIER, NIGHT, MORNING] = ['2026-11-18T22:00:00Z', '2026-11-19T22:00:00Z', '2026-11-20T04:30:00Z']

const directory = mkdtempSync(join(tmpdir(), 'batua-migrations-'))

test.beforeAll(async () => {
  for (const name of readdirSync(MIGRATIONS).filter(each => each < SCANS)) {
    copyFileSync(join(MIGRATIONS, name), join(directory, name))
  }
})
afterAll(async () => {
  rmSync(directory, { recursive: true })
})

const query = (text: string): Promise<Row[]> => database.query(text)

async function migrateWith(rowsBefore: string): Promise<void> {
  await query('drop schema public cascade; create schema public')
  await migrate(db.url, { directory })
  await query(rowsBefore)
  await migrate(db.url)
}

const scans = () =>
  query(`select name, started_at as "startedAt", is_running as "isRunning", finished_at as "finishedAt"
    from scans where leased_by is null and leased_until is null order by name`)
const beginning = () => query('select begins_after::text as after from audit_beginning')
const at = (text: string) => new Date(text)

test('a new database has four scans that never ran', async () => {
  const never = { startedAt: null, isRunning: false, finishedAt: null }
  expect(await scans()).toEqual(
    ['audit log check', 'ledger check', 'reconciliation', 'settlement'].map(name => ({ name, ...never })),
  )
  expect(await beginning()).toEqual([{ after: '00000000-0000-0000-0000-000000000000' }])
})

test('after the migration a settlement goes on where it was, other rounds begin again, and faults and complete runs are kept', async () => {
  const reconciliation = (day: string, startedAt: string, finishedAt: string) =>
    `(gen_random_uuid(), ${day}, now(), now(), 'recheck', '{}', '${startedAt}', ${finishedAt})`
  await migrateWith(`
    update book_check set last_started_at = '${NIGHT}', checked_at = '${MORNING}', round_started_at = '${MORNING}',
      leased_by = gen_random_uuid(), leased_until = now(), done_through = '${WALLET}', piece = '{}';
    update audit_check set last_started_at = '${EARLIER}', checked_at = '${NIGHT}', round = 7, begins_after = '${WALLET}';
    insert into book_faults (subject, kind, detail, found_at, seen_at, healed_at) values
      ('agents/1', 'altered_row', 'open', '${EARLIER}', '${NIGHT}', null),
      ('agents/2', 'altered_row', 'resolved', '${EARLIER}', '${NIGHT}', '${NIGHT}');
    insert into audit_faults (subject, kind, detail, found_at, seen_round)
    values ('checkpoint', 'bad_checkpoint', 'open', '${EARLIER}', 7);
    insert into settlement_runs (day, started_at, finished_at) values (20776, '${EARLIER}', '${EARLIER}');
    insert into settlement_runs (day, started_at, leased_by, leased_until, done_through, skipped)
    values (20777, '${MORNING}', gen_random_uuid(), now(), '${WALLET}', '{"below_minimum": 2}');
    insert into reconciliation_runs (id, day, from_at, to_at, phase, totals, started_at, finished_at) values
      ${reconciliation('20775', EARLIER, `'${EARLIER}'`)}, ${reconciliation('20776', NIGHT, 'null')},
      ${reconciliation('null', MORNING, `'${MORNING}'`)}, ${reconciliation('null', MORNING, 'null')};
    insert into reconciliation_settlements (run_id, gateway, id, settled_paise, charges_paise, parts, parts_paise)
    values (gen_random_uuid(), 'sandbox', 's', 0, 0, 0, 0)`)
  const isRunning = false
  expect(await scans()).toEqual([
    { name: 'audit log check', startedAt: at(EARLIER), isRunning, finishedAt: at(NIGHT) },
    { name: 'ledger check', startedAt: at(NIGHT), isRunning, finishedAt: at(MORNING) },
    { name: 'reconciliation', startedAt: at(EARLIER), isRunning, finishedAt: at(EARLIER) },
    { name: 'settlement', startedAt: at(MORNING), isRunning: true, finishedAt: at(EARLIER) },
  ])
  for (const check of ['ledger check', 'audit log check']) {
    expect(await readScan(database, check)).toMatchObject({ cursor: null, openFindings: 1 })
  }
  expect(await beginning()).toEqual([{ after: WALLET }])
  expect(await readScan(database, 'settlement')).toMatchObject({
    cursor: { day: 20_777, after: WALLET, skipped: { below_minimum: 2 } },
  })
  expect(await query('select day from reconciliation_runs order by day')).toEqual([
    { day: 20_775 },
    { day: null },
  ])
  expect(await query('select id from reconciliation_settlements')).toEqual([])
})

test('after the migration a settlement that had just begun goes on from its beginning', async () => {
  await migrateWith(`insert into settlement_runs (day, started_at) values (20777, '${MORNING}')`)
  expect((await scans()).at(-1)).toMatchObject({ isRunning: true, startedAt: at(MORNING) })
  expect(await readScan(database, 'settlement')).toMatchObject({ cursor: null })
})
