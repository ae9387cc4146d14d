import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { markDatabase } from '../db/database-mark.ts'
import { newestVersion } from '../db/migrate.ts'
import { openVault } from '../kernel/secrets.ts'
import { database, db, test } from '../testing/database-test.ts'

const SCRIPT = fileURLToPath(new URL('./migrate.ts', import.meta.url))
const KEY = Buffer.alloc(32, 'migrate')

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The command as an operator runs it. */
function run(env: Record<string, string>): Promise<Ended> {
  const given = { PATH: process.env['PATH'] ?? '', MASTER_KEY: KEY.toString('base64'), ...env }
  return new Promise(resolve => {
    execFile(process.execPath, [SCRIPT], { env: given }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

test('an empty database is migrated, by one of two at once, and then nothing is left to do', async () => {
  await database.query('drop schema public cascade', [])
  await database.query('create schema public', [])
  const [one, other] = await Promise.all([run({ DATABASE_URL: db.url }), run({ DATABASE_URL: db.url })])
  const end = `The database is at version ${newestVersion()}\n`
  for (const { code, stdout, stderr } of [one, other]) {
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.endsWith(end)).toBe(true)
  }
  const migrated = `${one.stdout}${other.stdout}`.match(/Migrated the database/g)
  expect(migrated).toHaveLength(newestVersion())
  const [row] = await database.query<{ version: string }>(
    'select max(version)::text as version from schema_version',
    [],
  )
  expect(Number(row?.version)).toBe(newestVersion())
  expect(await run({ DATABASE_URL: db.url })).toEqual({ code: 0, stdout: end, stderr: '' })
})

test('a database of another master key is refused', async () => {
  await markDatabase(database, { mode: 'sandbox', vault: openVault(KEY) }, new Date())
  const other = { DATABASE_URL: db.url, MASTER_KEY: Buffer.alloc(32, 'other').toString('base64') }
  const { code, stderr } = await run(other)
  expect(code).toBe(1)
  expect(stderr).toBe('MASTER_KEY is not the one that this database was made with\n')
})
