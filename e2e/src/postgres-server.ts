import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

/** Where Debian's package `postgresql-15` has its programs. */
const PROGRAMS = '/usr/lib/postgresql/15/bin'

/** A folder for servers of PostgreSQL 15, and the programs that work on them. */
export interface PostgresFolder {
  readonly path: string
  readonly settings: Settings
  /** Runs a program of PostgreSQL, or another one that runs as its user. */
  run(name: string, args: readonly string[]): Promise<{ readonly stdout: string }>
  /** Makes an empty server in a folder of its own, with these settings in its configuration. */
  init(data: string, configuration: string): Promise<void>
  remove(): void
}

export interface PostgresServer {
  readonly port: number
  readonly data: string
  /** The address of the service's database. */
  readonly url: string
  /** Starts it; resolves when it accepts connections. */
  start(args?: readonly string[]): Promise<void>
  signal(name: NodeJS.Signals): void
  /** Ends every process of it at once. */
  kill(): Promise<void>
  query<Row extends object>(text: string): Promise<Row[]>
}

const execute = promisify(execFile)
/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0

export async function makePostgresFolder(): Promise<PostgresFolder> {
  if (!existsSync(`${PROGRAMS}/postgres`)) throw new Error('Debian’s package postgresql-15 is not installed')
  const path = mkdtempSync(join(tmpdir(), 'batua-cluster-'))
  const settings = await settingsIn(path)
  const run: PostgresFolder['run'] = (name, args) => execute(name, [...args], settings)
  return {
    path,
    settings,
    run,
    async init(data, configuration) {
      await run('initdb', ['-D', data, '-U', 'batua', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
      appendFileSync(join(data, 'postgresql.conf'), configuration)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** How PostgreSQL's programs are run. */
interface Settings {
  readonly uid?: number
  readonly gid?: number
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

async function settingsIn(cwd: string): Promise<Settings> {
  const env = { PATH: `${PROGRAMS}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8' }
  if (!isRoot) return { env, cwd }
  const idOf = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')])
  chownSync(cwd, uid, gid)
  return { uid, gid, env, cwd }
}

export async function openPostgresServer(data: string, settings: Settings): Promise<PostgresServer> {
  const port = await freePort()
  let running: ChildProcess | null = null
  const signal = (name: NodeJS.Signals) => {
    for (const pid of treeOf(running?.pid ?? 0)) signalProcess(pid, name)
  }

  async function query<Row extends object>(text: string): Promise<Row[]> {
    const place = { host: '127.0.0.1', port, user: 'batua', database: 'postgres' }
    const client = new Client({ ...place, connectionTimeoutMillis: 2_000, query_timeout: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<Row>(text)).rows
    } finally {
      client.connection.stream.destroy()
    }
  }
  return {
    port,
    url: `postgres://batua@127.0.0.1:${port}/batua`,
    data,
    query,
    signal,
    async start(more = []) {
      const args = ['-D', data, '-p', String(port), ...more]
      running = spawn(`${PROGRAMS}/postgres`, args, { ...settings, stdio: 'ignore' })
      await until(async () => (await query('select 1')).length === 1)
    },
    async kill() {
      if (running === null) return
      const ended = once(running, 'exit')
      signal('SIGKILL')
      running = null
      await ended
    },
  }
}

/** A process and its children, the process first. */
export function treeOf(pid: number): number[] {
  if (pid === 0) return []
  const children = readdirSync('/proc').filter(name => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.map(Number)]
}

function parentOf(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return 0
  }
}

export function signalProcess(pid: number, name: NodeJS.Signals): void {
  // The number 0 means all processes of this group.
  if (pid === 0) return
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

const POLL_MS = 50
const READY_WITHIN_MS = 60_000

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('a server of PostgreSQL is not ready in time')
    await delay(POLL_MS)
  }
}
