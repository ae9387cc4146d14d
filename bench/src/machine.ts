import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { arch, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Queryable } from '../../service/src/db/database.ts'
import { figure, median } from './figures.ts'

const TMPFS = 0x01021994
const PAGE_BYTES = 8192
const SYNCS = 100
const GIB = 1024 ** 3

/** The machine that was measured on: name and value of each fact. */
export async function describeMachine(folder: string, db: Queryable): Promise<[string, string][]> {
  const cores = cpus()
  return [
    ['Processor', `${cores.length} cores, ${cores[0]?.model.trim() ?? 'unknown'}, ${arch()}`],
    ['Memory', `${figure(totalmem() / GIB)} GiB`],
    ['System', `${type()} ${release()}`],
    ['Disk', `${figure(syncMs(folder), 2)} ms for fdatasync of 8 KiB`],
    ['Node', process.version],
    ['PostgreSQL', await describeServer(db)],
  ]
}

async function describeServer(db: Queryable): Promise<string> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size']
  const rows = await db.query<{ name: string; value: string }>(
    `select name, current_setting(name) as value from unnest($1::text[]) name`,
    [['server_version', ...names]],
  )
  const values = new Map(rows.map(row => [row.name, row.value]))
  const settings = names.map(name => `${name} ${values.get(name)}`)
  return `${values.get('server_version')}; ${settings.join(', ')}`
}

/** Throws if a folder is in memory, where a commit costs nothing and proves nothing. */
export function requireDisk(folder: string): void {
  if (statfsSync(folder).type !== TMPFS) return
  throw new Error(`${folder} is in memory; name a folder on a disk with --data`)
}

/** How long the disk takes to write one page durably, the median of several tries. */
function syncMs(folder: string): number {
  const path = join(folder, 'sync-test')
  const file = openSync(path, 'w')
  const page = Buffer.alloc(PAGE_BYTES)
  const times = Array.from({ length: SYNCS }, (_, index) => {
    const startMs = performance.now()
    writeSync(file, page, 0, PAGE_BYTES, index * PAGE_BYTES)
    fdatasyncSync(file)
    return performance.now() - startMs
  })
  closeSync(file)
  rmSync(path)
  return median(times)
}
