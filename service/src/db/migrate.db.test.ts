import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { database, db, test } from '../testing/database-test.ts'
import { migrate } from './migrate.ts'

const FIRST = '0001.do.first.sql'
const SECOND = '0002.do.second.sql'

let directory: string

beforeEach(async () => {
  await database.query('drop schema public cascade; create schema public')
  directory = mkdtempSync(join(tmpdir(), 'batua-migrations-'))
  write(FIRST, '-- A table to count in.\ncreate table counted (n int); insert into counted values (1);')
  write(SECOND, '-- One more, so that order shows.\nupdate counted set n = n * 10;')
  return () => rmSync(directory, { recursive: true })
})

const write = (name: string, sql: string) => writeFileSync(join(directory, name), sql)
const run = () => migrate(db.url, { directory })
const counted = () => database.query('select n from counted')

test('nodes that start at once migrate once', async () => {
  await Promise.all([run(), run(), run()])
  expect(await counted()).toEqual([{ n: 10 }])
})

test('a later release runs only what is new', async () => {
  await run()
  write('0003.do.third.sql', '-- New.\nupdate counted set n = n + 1;')
  await run()
  expect(await counted()).toEqual([{ n: 11 }])
})

test('a migration that was changed after it ran is refused', async () => {
  await run()
  write(FIRST, '-- Changed.\ncreate table counted (n int8);')
  await expect(run()).rejects.toThrow('checksum')
})

test('line endings of a checkout are no change', async () => {
  await run()
  write(SECOND, '-- One more, so that order shows.\r\nupdate counted set n = n * 10;')
  expect(await run()).toBe(2)
})

test('code runs on a database that newer code extended, and leaves it as it is', async () => {
  write('0003.do.more.sql', '-- Adds.\nalter table counted add column m int;')
  expect(await run()).toBe(3)
  rmSync(join(directory, '0003.do.more.sql'))
  expect(await run()).toBe(3)
  expect(await database.query('select m from counted')).toEqual([{ m: null }])
  write(SECOND, '-- Changed after it ran.\nselect 1;')
  await expect(run()).rejects.toThrow('checksum')
})

test('code is refused a database from which newer code removed what it uses', async () => {
  const removal = '0003.do.contract-from-0002-no-counting.sql'
  write(removal, '-- Nothing counts since version 2.\nalter table counted drop column n;')
  write('0004.do.more.sql', '-- Adds.\nalter table counted add column m int;')
  expect(await run()).toBe(4)
  for (const name of ['0004.do.more.sql', removal]) rmSync(join(directory, name))
  expect(await run()).toBe(4)
  rmSync(join(directory, SECOND))
  await expect(run()).rejects.toThrow(
    'The database is at version 4 and needs a release that knows version 2; this one knows only 1. Run a newer release',
  )
})

test('a migration that fails leaves nothing of itself and can run again when it is mended', async () => {
  write(SECOND, '-- Fails half way.\nupdate counted set n = 99; select 1/0;')
  await expect(run()).rejects.toThrow('division by zero')
  expect(await counted()).toEqual([{ n: 1 }])
  write(SECOND, '-- Mended.\nupdate counted set n = 2;')
  await run()
  expect(await counted()).toEqual([{ n: 2 }])
})

test('a migration and the record of it are kept together or not at all', async () => {
  const barRecord = 'alter table schema_version add constraint full_now check (version < 2)'
  write(SECOND, `-- Cannot be recorded.\nupdate counted set n = 99; ${barRecord};`)
  await expect(run()).rejects.toThrow('full_now')
  expect(await counted()).toEqual([{ n: 1 }])
})

test.each(['0004.do.gap.sql', '0002.undo.back.sql'])(
  'a file %s is refused before anything runs',
  async name => {
    write(name, '-- Out of place.')
    await expect(run()).rejects.toThrow('numbered from 1')
    await expect(counted()).rejects.toThrow('does not exist')
  },
)
