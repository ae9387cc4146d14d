import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { realpathSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copiedDataDir } from '../testing/data-dir.ts'
import { openDatabase } from './database.ts'
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'

const IS_ROOT = process.getuid?.() === 0

let dataDir: string
let logged: string[]
let running: EmbeddedPostgres[]

beforeEach(async () => {
  dataDir = realpathSync(await copiedDataDir())
  logged = []
  running = []
})
afterEach(async () => {
  await Promise.all(running.map(server => server.stop()))
  rmSync(dataDir, { recursive: true, force: true })
})

const note = (facts: object, message: string) => void logged.push(`${message} ${JSON.stringify(facts)}`)
const logger = { info: note, warn: note, error: note }

async function start(options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const sharedFolder = join(dataDir, 'shared')
  const server = await startEmbeddedPostgres({ dataDir, logger, sharedFolder, ...options })
  running.push(server)
  return server
}

async function ask(server: EmbeddedPostgres, text: string): Promise<object[]> {
  const database = openDatabase(server.url, { maxConnections: 1 })
  try {
    return await database.query(text)
  } finally {
    await database.close()
  }
}

function isOver(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

const keepNote = (server: EmbeddedPostgres) => ask(server, `create table notes as select 'kept' as note`)
const readNote = (server: EmbeddedPostgres) => ask(server, 'select note from notes')
const KEPT = [{ note: 'kept' }]

/** A service of its own in another process; resolves when its database runs and holds the note. */
async function startElsewhere(): Promise<ChildProcess> {
  const script = `
    import { startEmbeddedPostgres } from '${new URL('./embedded.ts', import.meta.url).href}'
    import { openDatabase } from '${new URL('./database.ts', import.meta.url).href}'
    const quiet = () => undefined
    const logger = { info: quiet, warn: quiet, error: quiet }
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, logger })
    await openDatabase(server.url).query("create table notes as select 'kept' as note")
    console.log('ready')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('it ended'))),
  ])
  return child
}

test('a restart on the same folder keeps the data, and no secret is logged or left readable', async () => {
  const options = { dataDir: join(dataDir, 'new') }
  const first = await start(options)
  await keepNote(first)
  expect(await ask(first, 'show fsync')).toEqual([{ fsync: 'on' }])
  await first.stop()
  await first.stop()
  const again = await start(options)
  expect(await readNote(again)).toEqual(KEPT)
  expect(again.url).toBe(first.url)
  expect(statSync(join(dataDir, 'new', 'postgres-password')).mode & 0o777).toBe(0o600)
  expect(logged.join()).not.toContain(new URL(again.url).password)
})

test('a database that is killed comes back within ten seconds with all that was committed', async () => {
  const { promise: up, resolve: onUp } = Promise.withResolvers<void>()
  const { promise: down, resolve: onDown } = Promise.withResolvers<void>()
  const server = await start({ onUp, onDown })
  await keepNote(server)
  const killed = server.pid() ?? 0
  process.kill(killed, 'SIGKILL')
  await down
  const inTime = await Promise.race([up.then(() => true), delay(10_000, false, { ref: false })])
  expect(inTime).toBe(true)
  expect(server.pid()).not.toBe(killed)
  expect(await readNote(server)).toEqual(KEPT)
  expect(logged[0]).toContain('"how":"SIGKILL"')
})

test('a stop right after the database was killed leaves nothing running', async () => {
  const { promise: down, resolve: onDown } = Promise.withResolvers<void>()
  const server = await start({ onDown })
  process.kill(server.pid() ?? 0, 'SIGKILL')
  await down
  await server.stop()
  expect(() => process.kill(server.pid() ?? 0, 0)).toThrow('ESRCH')
})

test('a second service on the folder is refused, and one that follows a killed service takes over', async () => {
  const other = await startElsewhere()
  await expect(start()).rejects.toThrow(`Another service is running on the data folder ${dataDir}`)
  other.kill('SIGKILL')
  await once(other, 'exit')
  const server = await start()
  expect(logged[0]).toContain('of a service that was killed')
  expect(await readNote(server)).toEqual(KEPT)
  await expect(start()).rejects.toThrow('Another service')
})

test('a stale process id that now belongs to another program does not keep the database from starting', async () => {
  const first = await start()
  await keepNote(first)
  await first.stop()
  const { uid, gid } = statSync(join(dataDir, 'postgres'))
  const stranger = spawn('sleep', ['60'], IS_ROOT ? { uid, gid } : {})
  const socketFolder = join(dataDir, 'postgres')
  const stale = [stranger.pid, socketFolder, '1700000000', '5432', socketFolder, '', '', 'ready', '']
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock'])
    writeFileSync(join(socketFolder, name), stale.join('\n'))
  try {
    expect(await readNote(await start())).toEqual(KEPT)
    expect(stranger.exitCode).toBeNull()
  } finally {
    stranger.kill()
  }
})

test('a folder too deep for a socket still gets its database', async () => {
  const deep = join(dataDir, 'd'.repeat(60), 'e'.repeat(60))
  const server = await start({ dataDir: deep })
  expect(await ask(server, 'select 1 as one')).toEqual([{ one: 1 }])
  const socketFolder = decodeURIComponent(new URL(server.url).hostname)
  await server.stop()
  expect(statSync(socketFolder, { throwIfNoEntry: false })).toBeUndefined()
})

test('a database whose password or folder is gone is named, not made again', async () => {
  const first = await start()
  await first.stop()
  unlinkSync(join(dataDir, 'postgres-password'))
  await expect(start()).rejects.toThrow(
    'postgres-password, the password of the database beside it, is missing',
  )
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  execFileSync('ln', ['-s', join(dataDir, 'gone'), join(dataDir, 'postgres')])
  await expect(start()).rejects.toThrow('points to a folder that is gone')
})

test('a data folder that is deleted under the server is reported, and the server stops', async () => {
  const gone = Promise.withResolvers<string>()
  const server = await start({ onGone: gone.resolve })
  rmSync(join(dataDir, 'postgres'), { recursive: true })
  expect(await gone.promise).toBe(join(dataDir, 'postgres'))
  await server.stop()
  expect(server.pid()).toSatisfy(isOver)
})

test.runIf(IS_ROOT)('as root, data that the server’s user cannot reach is kept where it can', async () => {
  const home = join(dataDir, 'home')
  execFileSync('mkdir', ['-m', '700', home])
  const options = { dataDir: join(home, 'data') }
  const first = await start(options)
  await keepNote(first)
  await first.stop()
  expect(logged[0]).toContain(`PostgreSQL cannot enter ${home}/data; its data is elsewhere`)
  expect(realpathSync(join(home, 'data', 'postgres'))).toContain(join(dataDir, 'shared'))
  expect(await readNote(await start(options))).toEqual(KEPT)
})

test.runIf(IS_ROOT)('as root, a place for the data that cannot be made is one clear sentence', async () => {
  const home = join(dataDir, 'home')
  execFileSync('mkdir', ['-m', '700', home])
  const sharedFolder = join(home, 'shared')
  await expect(start({ dataDir: join(home, 'data'), sharedFolder })).rejects.toThrow(
    /may not enter .*; set .*DATABASE_URL/,
  )
})
