import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  makePostgresFolder,
  openPostgresServer,
  type PostgresFolder,
  type PostgresServer,
} from './postgres-server.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

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
interface Server extends PostgresServer {
  readonly proxy: TcpProxy
}

export async function startPostgresCluster(): Promise<PostgresCluster> {
  const folder = await makePostgresFolder()
  const servers = new Map<Name, Server>()
  for (const name of NAMES) servers.set(name, await openServer(folder, name))
  const at = (name: Name) => servers.get(name) as Server
  let primary: Name = 'a'

  const following = (name: Name) =>
    `host=127.0.0.1 port=${at(primary).proxy.port} user=batua application_name=${name} connect_timeout=2`

  async function copy(name: Name): Promise<void> {
    const { data, start } = at(name)
    rmSync(data, { recursive: true, force: true })
    const from = ['-h', '127.0.0.1', '-p', String(at(primary).port), '-U', 'batua', '-c', 'fast']
    await folder.run('pg_basebackup', [...from, '-X', 'stream', '-D', data])
    appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${following(name)}'\n`)
    appendFileSync(join(data, 'standby.signal'), '')
    await start()
  }

  await startPrimary(at('a'), folder)
  for (const name of ['b', 'c'] as const) await copy(name)
  for (const name of NAMES) {
    await at(name).query(`alter system set synchronous_standby_names = 'ANY 1 (a, b, c)'`)
    await at(name).query('select pg_reload_conf()')
  }
  const hosts = NAMES.map(name => `127.0.0.1:${at(name).proxy.port}`).join(',')

  return {
    url: `postgres://batua@${hosts}/batua?target_session_attrs=read-write`,
    primary: () => primary,
    primaryUrl: () => at(primary).url,
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
      folder.remove()
    },
  }
}

async function openServer(folder: PostgresFolder, name: Name): Promise<Server> {
  const server = await openPostgresServer(join(folder.path, name), folder.settings)
  return { ...server, proxy: await openTcpProxy(server.port) }
}

async function startPrimary({ data, start, query }: Server, folder: PostgresFolder): Promise<void> {
  await folder.init(data, SETTINGS)
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
