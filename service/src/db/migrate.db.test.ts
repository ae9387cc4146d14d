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
  await expect(run()).resolves.toBeUndefined()
})

test('a database newer than the code is refused', async () => {
  await run()
  rmSync(join(directory, SECOND))
  await expect(run()).rejects.toThrow('The database is at version 2, this release knows only 1')
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
