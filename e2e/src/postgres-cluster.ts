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
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** Where Debian's package `postgresql-15` has its programs. */
const PROGRAMS = '/usr/lib/postgresql/15/bin'
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** A primary and two standbys, of which one has every commit before it is confirmed. */
export interface PostgresCluster {
  /** The address with all three hosts. */
  readonly url: string
  primary(): Name
  /** The address of the primary alone. */
  primaryUrl(): string
  /** Ends every process of a server at once. */
  kill(name: Name): Promise<void>
  /** Stops every process of a server, or continues them. */
  pause(name: Name): void
  resume(name: Name): void
  /** Nothing passes to a server or from it any more. */
  cut(name: Name): void
  /** Promotes the standby that has received most, which the other one follows from then on. */
  promote(): Promise<Name>
  /** Makes a server that was the primary a standby of the present one, from a copy. Its network is whole again. */
  rejoin(name: Name): Promise<void>
  close(): Promise<void>
}

/** One server of the cluster, with a proxy before it. */
interface Server {
  readonly port: number
  readonly proxy: TcpProxy
  readonly data: string
  start(): Promise<void>
  signal(name: NodeJS.Signals): void
  kill(): Promise<void>
  query<Row extends object>(text: string): Promise<Row[]>
}

type Program = (name: string, args: readonly string[]) => Promise<unknown>

const run = promisify(execFile)
/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0

export async function startPostgresCluster(): Promise<PostgresCluster> {
  if (!existsSync(`${PROGRAMS}/postgres`)) throw new Error('Debian’s package postgresql-15 is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'batua-cluster-'))
  const settings = await settingsIn(folder)
  const program: Program = (name, args) => run(`${PROGRAMS}/${name}`, [...args], settings)
  const servers = new Map<Name, Server>()
  for (const name of NAMES) servers.set(name, await openServer(join(folder, name), settings))
  const at = (name: Name) => servers.get(name) as Server
  let primary: Name = 'a'

  const following = (name: Name) =>
    `host=127.0.0.1 port=${at(primary).proxy.port} user=batua application_name=${name} connect_timeout=2`

  async function copy(name: Name): Promise<void> {
    const { data, start } = at(name)
    rmSync(data, { recursive: true, force: true })
    const from = ['-h', '127.0.0.1', '-p', String(at(primary).port), '-U', 'batua', '-c', 'fast']
    await program('pg_basebackup', [...from, '-X', 'stream', '-D', data])
    appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${following(name)}'\n`)
    appendFileSync(join(data, 'standby.signal'), '')
    await start()
  }

  await startPrimary(at('a'), program)
  for (const name of ['b', 'c'] as const) await copy(name)
  for (const name of NAMES) {
    await at(name).query(`alter system set synchronous_standby_names = 'ANY 1 (a, b, c)'`)
    await at(name).query('select pg_reload_conf()')
  }
  const hosts = NAMES.map(name => `127.0.0.1:${at(name).proxy.port}`).join(',')

  return {
    url: `postgres://batua@${hosts}/batua?target_session_attrs=read-write`,
    primary: () => primary,
    primaryUrl: () => `postgres://batua@127.0.0.1:${at(primary).port}/batua`,
    kill: name => at(name).kill(),
    pause: name => at(name).signal('SIGSTOP'),
    resume: name => at(name).signal('SIGCONT'),
    cut: name => at(name).proxy.cut(),
    async promote() {
      const [next, other] = await byReceived(
        NAMES.filter(name => name !== primary),
        at,
      )
      await at(next).query('select pg_promote()')
      primary = next
      await at(other).query(`alter system set primary_conninfo = '${following(other)}'`)
      await at(other).query('select pg_reload_conf()')
      return next
    },
    async rejoin(name) {
      await at(name).kill()
      at(name).proxy.heal()
      await copy(name)
    },
    async close() {
      for (const server of servers.values()) {
        await server.kill()
        await server.proxy.close()
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startPrimary({ data, start, query }: Server, program: Program): Promise<void> {
  await program('initdb', ['-D', data, '-U', 'batua', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
  appendFileSync(join(data, 'postgresql.conf'), SETTINGS)
  await start()
  await query('create database batua')
}

/** The standbys, the one that has received most first. */
async function byReceived(
  standbys: readonly Name[],
  at: (name: Name) => Server,
): Promise<readonly [Name, Name]> {
  const [one, other] = standbys as [Name, Name]
  const [ofOne, ofOther] = await Promise.all(
    [one, other].map(async name =>
      BigInt((await at(name).query<{ bytes: string }>(RECEIVED))[0]?.bytes ?? 0),
    ),
  )
  return (ofOne ?? 0n) >= (ofOther ?? 0n) ? [one, other] : [other, one]
}

/** How PostgreSQL's programs are run. */
interface Settings {
  readonly uid?: number
  readonly gid?: number
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

async function settingsIn(cwd: string): Promise<Settings> {
  const env = { PATH: PROGRAMS, LC_ALL: 'C.UTF-8' }
  if (!isRoot) return { env, cwd }
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout)
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')])
  chownSync(cwd, uid, gid)
  return { uid, gid, env, cwd }
}

async function openServer(data: string, settings: Settings): Promise<Server> {
  const port = await freePort()
  const proxy = await openTcpProxy(port)
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
    proxy,
    data,
    query,
    signal,
    async start() {
      const args = ['-D', data, '-p', String(port)]
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

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = replica
max_connections = 150
wal_keep_size = 512MB
wal_receiver_timeout = 3s
wal_sender_timeout = 3s
wal_retrieve_retry_interval = 500ms
`

const RECEIVED = `select (coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::text as bytes`

/** A process and its children, the process first. */
function treeOf(pid: number): number[] {
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

function signalProcess(pid: number, name: NodeJS.Signals): void {
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
