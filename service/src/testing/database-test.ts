import { test as base } from 'vitest'
import type { Database, DatabaseOptions } from '../db/database.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/**
 * The database of the test file that runs: `test` makes it before the first test and removes it after the last.
 * `testOnNewDatabase` makes one for each test.
 */
export let db: TestDatabase
export let database: Database

/** A fixture that every file has, without a test that asks for it. */
export const OF_FILE = { scope: 'file', auto: true } as const

const options: DatabaseOptions = {}

/** Tests with a database of their file's own. What they need before is made in `test.beforeAll`. */
export const test = base
  .extend('databaseOptions', { scope: 'file' }, options)
  .extend('db', OF_FILE, async ({ databaseOptions }, { onCleanup }) => {
    db = await createTestDatabase(databaseOptions)
    database = db.database
    onCleanup(db.drop)
    return db
  })

/** Tests with a new database each: what they count is in the whole database. */
// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
// oxlint-disable-next-line no-empty-pattern -- the same
export const testOnNewDatabase = base.extend('db', { auto: true }, async ({}, { onCleanup }) => {
  db = await createTestDatabase()
  database = db.database
  onCleanup(db.drop)
  return db
})

/** Tests on a stage that is opened before the first test of a file, kept for its tests, and closed after the last. */
export function testOn<Stage extends { close(): Promise<unknown> }>(
  open: () => Promise<Stage>,
  keep: (stage: Stage) => void,
) {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  // oxlint-disable-next-line no-empty-pattern -- the same
  return base.extend('stage', OF_FILE, async ({}, { onCleanup }) => {
    const stage = await open()
    keep(stage)
    onCleanup(async () => {
      await stage.close()
    })
    return stage
  })
}
