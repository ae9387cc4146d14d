import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, expect } from 'vitest'
import { markDatabase } from '../db/database-mark.ts'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { silentLogger } from '../kernel/logger.ts'
import { openVault } from '../kernel/secrets.ts'
import { database, db, test } from '../testing/database-test.ts'
import type { Finding } from './finding.ts'

const SCRIPT = fileURLToPath(new URL('./check.ts', import.meta.url))
const KEY = Buffer.alloc(32, 'check')
const MASTER_KEY = KEY.toString('base64')
const folder = mkdtempSync(join(tmpdir(), 'batua-check-'))
const servers: Server[] = []

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all(servers.map(server => new Promise(closed => server.close(closed))))
})

interface Checked {
  readonly code: number
  readonly text: string
  /** What is not ok, by its subject. */
  readonly wrong: Readonly<Record<string, string>>
}

/** The command as an operator runs it. */
function check(env: Record<string, string>): Promise<Checked> {
  const environment = { PATH: process.env['PATH'] ?? '', PORT: '0', MASTER_KEY, DATA_DIR: folder, ...env }
  return new Promise(resolve => {
    execFile(process.execPath, [SCRIPT, '--json'], { env: environment }, (error, stdout, stderr) => {
      expect(stderr).toBe('')
      const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
      const wrong = findings.filter(({ level }) => level !== 'ok')
      resolve({
        code: error === null ? 0 : Number(error.code),
        text: stdout,
        wrong: Object.fromEntries(wrong.map(({ level, subject, text }) => [subject, `${level}: ${text}`])),
      })
    })
  })
}

/** A port of loopback on which something listens. */
async function listening(): Promise<number> {
  const server = createServer(socket => socket.end())
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

test('a new folder has no problems, and the check makes nothing in it', async () => {
  const dataDir = join(folder, 'data')
  const { code, wrong, text } = await check({ DATA_DIR: dataDir })
  expect([code, wrong['database'], wrong['DATA_DIR']]).toEqual([0, undefined, undefined])
  expect(text).toContain('is made at the first start')
  expect(existsSync(dataDir)).toBe(false)
})

test('the embedded database of a running service keeps its commits and has no problem', async () => {
  const dataDir = mkdtempSync(join(folder, 'running-'))
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger() })
  try {
    const { code, text } = await check({ DATA_DIR: dataDir })
    expect(code).toBe(0)
    expect(text).toContain('a commit is kept on this server alone')
    expect(text).toContain('the next start migrates it to')
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query(`alter system set synchronous_standby_names = 'ANY 1 (b, c)'`)
    await client.query('select pg_reload_conf()')
    await client.end()
    await expect
      .poll(async () => (await check({ DATA_DIR: dataDir })).wrong['standbys'], { timeout: 30_000 })
      .toMatch(/^problem: none is connected, and synchronous_standby_names is ANY 1 \(b, c\)/)
  } finally {
    await server.stop()
  }
})

test('a database that loses acknowledged commits in a crash is a problem', async () => {
  const { code, wrong } = await check({ DATABASE_URL: db.url })
  expect(code).toBe(1)
  expect(wrong['fsync']).toMatch(/^problem: is off: a crash loses payments/)
})

test('a database of another master key is a problem, and one without what this release uses too', async () => {
  await markDatabase(database, { mode: 'sandbox', vault: openVault(KEY) }, new Date())
  expect((await check({ DATABASE_URL: db.url })).wrong['master key']).toBeUndefined()
  const other = Buffer.alloc(32, 'other').toString('base64')
  const { wrong } = await check({ DATABASE_URL: db.url, MASTER_KEY: other })
  expect(wrong['master key']).toMatch(/^problem: MASTER_KEY is not the one/)
  await database.query(`insert into schema_version (version, name) values (9999, 'more')`, [])
  const { wrong: extended, text } = await check({ DATABASE_URL: db.url })
  expect(extended['schema']).toBeUndefined()
  expect(text).toContain('is at version 9999, of a newer release')
  await database.query(`update schema_version set name = 'contract-from-9998-less' where version = 9999`, [])
  const { wrong: newer } = await check({ DATABASE_URL: db.url })
  expect(newer['schema']).toMatch(/^problem: is at version 9999 and needs a release that knows version 9998/)
  await database.query(`delete from schema_version where version = 9999`, [])
})

test('a database that cannot be reached is a problem, which names no password', async () => {
  const { code, wrong, text } = await check({
    DATABASE_URL: 'postgresql://batua:plantedpassword@127.0.0.1:1/batua',
  })
  expect(code).toBe(1)
  expect(wrong['database']).toMatch(/^problem: The database is not available/)
  expect(text).not.toContain('plantedpassword')
})

test('every problem of the configuration is a finding', async () => {
  const { code, wrong } = await check({ MODE: 'live' })
  expect(code).toBe(1)
  expect(wrong['configuration']).toMatch(/^problem: /)
})

test('a port in use, and a file of a secret that everybody can read, are warnings', async () => {
  const file = join(folder, 'key')
  writeFileSync(file, MASTER_KEY)
  chmodSync(file, 0o644)
  const port = await listening()
  const { code, wrong } = await check({ MASTER_KEY: '', MASTER_KEY_FILE: file, PORT: String(port) })
  expect(code).toBe(0)
  expect(wrong['PORT']).toMatch(/^warning: 127\.0\.0\.1:\d+ is in use/)
  expect(wrong['MASTER_KEY_FILE']).toContain(`chmod o-rwx ${file}`)
  chmodSync(file, 0o600)
  const { wrong: closed } = await check({ MASTER_KEY: '', MASTER_KEY_FILE: file })
  expect(closed['MASTER_KEY_FILE']).toBeUndefined()
})

test('a gateway that cannot be reached is a problem, and Redis that does not respond is a warning', async () => {
  const gateway = {
    GATEWAY: 'cashfree',
    CASHFREE_ENV: 'sandbox',
    CASHFREE_CLIENT_ID: 'id',
    CASHFREE_CLIENT_SECRET: 'secret',
    CASHFREE_PAYOUT_CLIENT_ID: 'id',
    CASHFREE_PAYOUT_CLIENT_SECRET: 'secret',
  }
  const reached = { ...gateway, CASHFREE_API_URL: `http://127.0.0.1:${await listening()}` }
  expect((await check(reached)).wrong['gateway']).toBeUndefined()
  const { code, wrong } = await check({
    ...{ ...gateway, CASHFREE_API_URL: 'http://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' },
  })
  expect(code).toBe(1)
  expect(wrong['gateway']).toBe('problem: 127.0.0.1:1 cannot be reached (ECONNREFUSED)')
  expect(wrong['Redis']).toMatch(/^warning: does not respond/)
})
