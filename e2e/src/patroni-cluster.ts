import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { freePort } from './free-port.ts'
import { makePostgresFolder, type PostgresFolder, signalProcess, treeOf } from './postgres-server.ts'

/** The configuration that operators begin with; the hosts of the cluster differ from it in names and addresses only. */
const CONFIGURATION = fileURLToPath(new URL('../../deploy/patroni/patroni.yml', import.meta.url))
const NAMES = ['db-a', 'db-b', 'db-c'] as const
export type HostName = (typeof NAMES)[number]

const HEALTHY_WITHIN_MS = 180_000
const POLL_MS = 200
const ASKED_WITHIN_MS = 3_000

/** Three hosts of PostgreSQL 15, each run by its Patroni, and an etcd. */
export interface PatroniCluster {
  /** The address with all three hosts. */
  readonly url: string
  primaryUrl(): Promise<string>
  /** The host that holds the lock of the leader. */
  leader(): Promise<HostName>
  /** The standby that has a commit before it is confirmed. */
  confirming(): Promise<HostName>
  /** Waits until there is a leader, a standby that confirms commits and another one. */
  untilHealthy(): Promise<HostName>
  /** Ends PostgreSQL, Patroni or both at once. */
  kill(name: HostName, what: 'all' | 'patroni' | 'postgres'): Promise<void>
  /** Starts the Patroni of a host again. */
  start(name: HostName): void
  /** Stops every process of a host, or continues them. */
  pause(name: HostName): void
  resume(name: HostName): void
  /** An orderly change of the primary by patronictl. */
  switchover(): Promise<void>
  killEtcd(): Promise<void>
  startEtcd(): void
  close(): Promise<void>
}

interface Host {
  readonly name: HostName
  readonly file: string
  readonly data: string
  readonly port: number
  readonly api: string
  patroni: ChildProcess | null
}

interface Member {
  readonly name: HostName
  readonly role: string
  readonly state: string
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  if (!existsSync('/usr/bin/patroni') || !existsSync('/usr/bin/etcd'))
    throw new Error('Debian’s packages patroni and etcd-server are not installed')
  const folder = await makePostgresFolder()
  const etcd = await openEtcd(folder)
  const hosts: Host[] = []
  for (const name of NAMES) hosts.push(await configure(folder, name, etcd.port))
  const at = (name: HostName) => hosts.find(host => host.name === name) as Host
  const nameOf = async (wanted: string) => {
    const found = (await members(hosts)).find(({ role }) => role === wanted)
    if (found === undefined) throw new Error(`the cluster has no ${wanted}`)
    return found.name
  }
  const leader = () => nameOf('leader')
  const addressOf = (name: HostName) => `postgres://batua:batua@127.0.0.1:${at(name).port}/batua`

  async function untilHealthy(): Promise<HostName> {
    await vi.waitUntil(async () => isHealthy(await members(hosts)), {
      timeout: HEALTHY_WITHIN_MS,
      interval: POLL_MS,
    })
    return leader()
  }
  const signalHost = (name: HostName, signal: NodeJS.Signals) => {
    for (const pid of processesOf(at(name))) signalProcess(pid, signal)
  }

  etcd.start()
  await begin(folder, hosts, untilHealthy)
  const places = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    url: `postgres://batua:batua@${places}/batua?target_session_attrs=read-write`,
    primaryUrl: async () => addressOf(await leader()),
    leader,
    confirming: () => nameOf('sync_standby'),
    untilHealthy,
    async kill(name, what) {
      const host = at(name)
      const postgres = postmasterOf(host)
      const victims = what === 'patroni' ? [] : treeOf(postgres)
      if (what !== 'postgres') victims.push(...treeOf(host.patroni?.pid ?? 0).filter(pid => pid !== postgres))
      const ended = what !== 'postgres' && host.patroni !== null ? once(host.patroni, 'exit') : null
      for (const pid of victims) signalProcess(pid, 'SIGKILL')
      await ended
    },
    start: name => start(folder, at(name)),
    pause: name => signalHost(name, 'SIGSTOP'),
    resume: name => signalHost(name, 'SIGCONT'),
    async switchover() {
      const { name, file } = at(await leader())
      const args = ['-c', file, 'switchover', 'batua', '--master', name, '--force']
      await folder.run('patronictl', args)
    },
    killEtcd: etcd.kill,
    startEtcd: etcd.start,
    async close() {
      // Patroni first, which would start its PostgreSQL again.
      for (const host of hosts) signalProcess(host.patroni?.pid ?? 0, 'SIGKILL')
      for (const host of hosts) for (const pid of treeOf(postmasterOf(host))) signalProcess(pid, 'SIGKILL')
      await etcd.kill()
      folder.remove()
    },
  }
}

/** Makes the database on the first host, which the others copy. */
async function begin(
  folder: PostgresFolder,
  hosts: readonly Host[],
  untilHealthy: () => Promise<HostName>,
): Promise<void> {
  const [first, ...others] = hosts as [Host, ...Host[]]
  start(folder, first)
  await vi.waitUntil(async () => (await members(hosts)).some(({ role }) => role === 'leader'), {
    timeout: HEALTHY_WITHIN_MS,
    interval: POLL_MS,
  })
  for (const host of others) start(folder, host)
  await untilHealthy()
  await makeDatabase(first.port)
}

/** One process of etcd, which the drill may kill; in production there are three. */
async function openEtcd(folder: PostgresFolder) {
  const [port, peer] = [await freePort(), await freePort()]
  let running: ChildProcess | null = null
  return {
    port,
    start() {
      const [own, others] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`]
      const args = ['--data-dir', join(folder.path, 'etcd'), '--name', 'etcd', '--enable-v2=true']
      args.push('--listen-client-urls', own, '--advertise-client-urls', own)
      args.push('--listen-peer-urls', others, '--initial-advertise-peer-urls', others)
      args.push('--initial-cluster', `etcd=${others}`)
      running = spawn('/usr/bin/etcd', args, { ...folder.settings, stdio: 'ignore' })
    },
    async kill() {
      if (running === null || running.exitCode !== null) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
      running = null
    },
  }
}

interface Configuration {
  name: string
  readonly restapi: { listen: string; connect_address: string }
  readonly etcd: { hosts: string }
  readonly postgresql: {
    listen: string
    connect_address: string
    data_dir: string
    pgpass: string
    readonly parameters: Record<string, string>
  }
}

/** The configuration of deploy, with the names and addresses of this host. */
async function configure(folder: PostgresFolder, name: HostName, etcdPort: number): Promise<Host> {
  const [port, apiPort] = [await freePort(), await freePort()]
  const data = join(folder.path, name)
  const file = join(folder.path, `${name}.yml`)
  const all = parse(readFileSync(CONFIGURATION, 'utf8')) as Configuration
  const api = `127.0.0.1:${apiPort}`
  all.name = name
  all.etcd.hosts = `127.0.0.1:${etcdPort}`
  Object.assign(all.restapi, { listen: api, connect_address: api })
  Object.assign(all.postgresql, {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: data,
    pgpass: join(folder.path, `${name}.pgpass`),
  })
  all.postgresql.parameters['unix_socket_directories'] = folder.path
  writeFileSync(file, stringify(all))
  return { name, file, data, port, api, patroni: null }
}

function start({ settings, path }: PostgresFolder, host: Host): void {
  const log = join(path, `${host.name}.log`)
  const command = `exec /usr/bin/patroni ${host.file} >>${log} 2>&1`
  host.patroni = spawn('/bin/sh', ['-c', command], { ...settings, stdio: 'ignore' })
}

/** PostgreSQL is no child of Patroni, so that it lives on without. */
function postmasterOf({ data }: Host): number {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return 0
  }
}

function processesOf(host: Host): number[] {
  return [...new Set([...treeOf(host.patroni?.pid ?? 0), ...treeOf(postmasterOf(host))])]
}

/** What the hosts that respond say of all of them. */
async function members(hosts: readonly Host[]): Promise<readonly Member[]> {
  for (const { api } of hosts) {
    const signal = AbortSignal.timeout(ASKED_WITHIN_MS)
    const response = await fetch(`http://${api}/cluster`, { signal }).catch(() => null)
    if (response?.status !== 200) continue
    const { members } = (await response.json()) as { readonly members?: readonly Member[] }
    if (members !== undefined) return members
  }
  return []
}

function isHealthy(all: readonly Member[]): boolean {
  const roles = all
    .filter(({ state }) => state === 'running' || state === 'streaming')
    .map(({ role }) => role)
  return roles.toSorted().join() === 'leader,replica,sync_standby'
}

async function makeDatabase(port: number): Promise<void> {
  const password = 'replace-with-a-password'
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' })
  await client.connect()
  await client.query(`create role batua login password 'batua'`)
  await client.query('create database batua owner batua')
  await client.end()
}
