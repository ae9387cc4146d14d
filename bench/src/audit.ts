import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '../../service/src/db/database.ts'
import { migrate } from '../../service/src/db/migrate.ts'
import type { AuditContext } from '../../service/src/domains/audit/context.ts'
import { openIntegrator } from '../../service/src/domains/audit/integrator.ts'
import { HASH_BYTES } from '../../service/src/domains/audit/merkle.ts'
import { proveConsistency } from '../../service/src/domains/audit/prove.ts'
import { verifyEntry } from '../../service/src/domains/audit/verify-entry.ts'
import { openSigningKeys } from '../../service/src/domains/signing/keys/signing-keys.ts'
import type { AdminCaller } from '../../service/src/http/caller.ts'
import { systemClock } from '../../service/src/kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../service/src/kernel/ids.ts'
import { silentLogger } from '../../service/src/kernel/logger.ts'
import { openVault } from '../../service/src/kernel/secrets.ts'
import { queueLeaves } from '../../service/src/operations/fact-store.ts'
import { plantTree } from './audit-tree.ts'
import { percentile } from './figures.ts'
import { type ServerAddress, urlOf } from './server-address.ts'

/** The speed of an audit log with many leaves. */
export interface AuditReport {
  readonly leaves: number
  readonly bytesPerLeaf: number
  readonly integrations: readonly Integration[]
  readonly readings: readonly Reading[]
}

/** How fast waiting leaves are integrated into the tree. */
export interface Integration {
  readonly what: string
  readonly leaves: number
  readonly seconds: number
  readonly cpuSeconds: number
}

export interface Reading {
  readonly what: string
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The maximum promised for an inclusion proof; here it applies to a whole verification. */
export const VERIFY_MS = 5
const LEAVES = 10_000_000
const DATABASE = 'audit'
const WAITING = 100_000
const READINGS = 1_000
const READER: AdminCaller = { kind: 'admin', sessionId: newUuid(new Date(0)), phone: '9000000001' }

/** Proves and integrates with ten million leaves in the tree, on one node without HTTP. */
export async function measureAudit(
  server: ServerAddress,
  db: Database,
  say: (line: string) => void,
): Promise<AuditReport> {
  await db.query(`create database ${DATABASE}`)
  const url = urlOf({ ...server, database: DATABASE })
  await migrate(url)
  const database = openDatabase(url, { applicationName: 'bench' })
  try {
    const context = await openContext(database)
    say(`audit: a tree of ${LEAVES} leaves`)
    const entries = await plantTree(context, LEAVES)
    const bytesPerLeaf = (await sizeOfTiles(database)) / LEAVES
    say('audit: proofs')
    const readings = [await measureVerify(context, entries), await measureConsistency(database)]
    say('audit: integrating')
    const integrations = [
      await measureIntegration(context, 'commits of twenty payments', 20),
      await measureIntegration(context, 'commits of one fact', 1),
    ]
    return { leaves: LEAVES, bytesPerLeaf, integrations, readings }
  } finally {
    await database.close()
  }
}

async function openContext(database: Database): Promise<AuditContext> {
  const clock = systemClock()
  const vault = openVault(Buffer.alloc(32, 7))
  const signingKeys = await openSigningKeys({ database, clock, vault })
  return { database, clock, vault, signingKeys, serviceName: 'batua', logger: silentLogger() }
}

async function sizeOfTiles(database: Database): Promise<number> {
  await database.query('vacuum analyze audit_tiles, audit_entries')
  const [row] = await database.query<{ bytes: number }>(
    `select pg_total_relation_size('audit_tiles')::float8 as bytes`,
    [],
  )
  return row?.bytes ?? Number.NaN
}

/** Everything that the route does: the entry, its leaf, the proof, its check against the signature. */
async function measureVerify(context: AuditContext, entries: readonly Uuid[]): Promise<Reading> {
  const integrator = openIntegrator(context)
  return measure('verifying an entry: read, find its leaf, prove, check', async () => {
    const id = entries[Math.floor(Math.random() * entries.length)] ?? ''
    const { valid } = await verifyEntry(context, integrator, READER, formatId('aud', id))
    if (!valid) throw new Error(`the entry ${id} does not verify`)
  })
}

/** From any earlier size to the current one. */
function measureConsistency(database: Database): Promise<Reading> {
  return measure('proving that the log only grew since any earlier size', async () => {
    const from = Math.floor(Math.random() * LEAVES)
    if ((await proveConsistency(database, from, LEAVES)) === null) throw new Error('a tile is missing')
  })
}

async function measure(what: string, work: () => Promise<void>): Promise<Reading> {
  const times: number[] = []
  for (let reading = 0; reading < READINGS; reading++) {
    const before = performance.now()
    await work()
    times.push(performance.now() - before)
  }
  return { what, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) }
}

async function measureIntegration(
  context: AuditContext,
  what: string,
  perCommit: number,
): Promise<Integration> {
  for (let queued = 0; queued < WAITING; ) queued += await queueCommits(context, perCommit)
  const integrator = openIntegrator(context)
  const [startedMs, cpuBefore] = [performance.now(), process.cpuUsage()]
  let leaves = 0
  for (let taken = -1; taken !== 0; leaves += taken) taken = await integrator.step()
  const cpu = process.cpuUsage(cpuBefore)
  const seconds = (performance.now() - startedMs) / 1000
  return { what, leaves, seconds, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}

const COMMITS_AT_ONCE = 500

/** The queue rows of so many commits, in one transaction, because only their integration is measured. */
async function queueCommits({ database, vault, clock }: AuditContext, perCommit: number): Promise<number> {
  await database.inTransaction(async tx => {
    const commits = Array.from({ length: COMMITS_AT_ONCE }, () =>
      Array.from({ length: perCommit }, () => ({
        id: newUuid(clock.now()),
        hash: randomBytes(HASH_BYTES).toString('hex'),
      })),
    )
    await Promise.all(commits.map(leaves => queueLeaves(tx, vault, leaves)))
  })
  return COMMITS_AT_ONCE * perCommit
}
