import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Queryable } from '../../service/src/db/database.ts'
import type { ServerAddress } from './server-address.ts'

/** The results of one run of pgbench. */
export interface TpcbReport {
  readonly perSecond: number
  readonly transactions: number
  readonly averageMs: number
}

/** PostgreSQL's own benchmark: the simplest payments on the same server, without HTTP. */
export interface Tpcb {
  readonly version: string
  readonly settings: string
  /** `clients`: 32 if not given. */
  run(seconds: number, clients?: number): Promise<TpcbReport>
}

const DATABASE = 'tpcb'
const SCALE = 20
const CLIENTS = 32
const THREADS = 2
const DEBIAN_FOLDER = '/usr/lib/postgresql'

const run = promisify(execFile)

/** The newest pgbench of this machine: on the path, or where Debian installs it. Null: there is none. */
export function findPgbench(path: string): string | null {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : []
  const folders = [
    ...versions
      .toSorted((left, right) => Number(right) - Number(left))
      .map(version => join(DEBIAN_FOLDER, version, 'bin')),
    ...path.split(':'),
  ]
  return folders.map(folder => join(folder, 'pgbench')).find(program => existsSync(program)) ?? null
}

/** Creates a separate database on the service's server and fills it. */
export async function prepareTpcb(program: string, server: ServerAddress, db: Queryable): Promise<Tpcb> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', PGPASSWORD: server.password }
  const place = ['-h', server.socketFolder, '-p', server.socketPort, '-U', server.user]
  await db.query(`create database ${DATABASE}`)
  await run(program, ['-i', '-q', '-s', String(SCALE), ...place, DATABASE], { env })
  const { stdout: version } = await run(program, ['--version'], { env })
  return {
    version: version.trim(),
    settings: `scale ${SCALE}, ${CLIENTS} clients, ${THREADS} threads, -M prepared`,
    async run(seconds, clients = CLIENTS) {
      const threads = Math.min(THREADS, clients)
      const how = ['-M', 'prepared', '-c', String(clients), '-j', String(threads), '-T', String(seconds)]
      const { stdout } = await run(program, [...how, ...place, DATABASE], { env })
      return {
        perSecond: figure(stdout, /^tps = ([\d.]+)/m),
        transactions: figure(stdout, /^number of transactions actually processed: (\d+)/m),
        averageMs: figure(stdout, /^latency average = ([\d.]+) ms/m),
      }
    },
  }
}

function figure(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`pgbench printed something unexpected:\n${text}`)
  return Number(found)
}
