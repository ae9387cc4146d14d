import type { Database } from '../../../db/database.ts'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { type Fact, recordFacts, service } from '../../../operations/facts.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { openSigningKeys } from '../../signing/keys/signing-keys.ts'
import type { AuditContext } from '../context.ts'
import { integrate } from '../integrate.ts'

export interface LogStage extends AuditContext {
  /** The logged error messages. */
  readonly logged: string[]
}

/** The audit log of a database, with the errors it logged. */
export async function openLogStage(database: Database, clock: Clock = systemClock()): Promise<LogStage> {
  const logged: string[] = []
  const signingKeys = await openSigningKeys({ database, clock, vault: TEST_VAULT })
  const error = (_facts: unknown, message?: string) => logged.push(String(message))
  return { database, clock, vault: TEST_VAULT, signingKeys, serviceName: 'batua', logger: { error }, logged }
}

/** Records `count` audit events in one commit; returns their ids in the order of their leaves. */
export async function recordSome(
  { database, clock, vault }: AuditContext,
  count: number,
  fact: Partial<Fact> = {},
): Promise<Uuid[]> {
  const facts = Array.from({ length: count }, (_, index) => ({ ...someFact(`fact ${index}`), ...fact }))
  return database.inTransaction(async tx => {
    await recordFacts(tx, vault, clock.now(), facts)
    const [row] = await tx.query<{ ids: string }>(
      `select array_to_string(ids, ',') as ids from audit_queue where xmin = pg_current_xact_id()::xid`,
    )
    return row?.ids.split(',') ?? []
  })
}

function someFact(word: string): Fact {
  const id = newUuid(new Date())
  return {
    agentId: id,
    actor: service('test'),
    action: 'agent.paused',
    target: formatId('agt', id),
    data: { word, amount: 12.5, deep: { list: [1, null, 'two'] } },
  }
}

/** Appends leaves until the queue is empty. */
export async function integrateAll(context: AuditContext): Promise<number> {
  for (let leaves = 0; ; ) {
    const result = await integrate(context, context.clock.now(), { waits: true, lastSeen: null })
    if (result?.kind !== 'done') throw new Error(`the log is ${result?.kind ?? 'busy'}`)
    leaves += result.leaves
    if (result.leaves + result.refused.length === 0) return leaves
  }
}

/** The ids of all leaves in order, and their hashes in hex, from level 0. */
export async function leavesIn(database: Database): Promise<{ ids: Uuid[]; hashes: string[] }> {
  const rows = await database.query<{ ids: string; hashes: Buffer }>(
    `select array_to_string(ids, ',') as ids, hashes from audit_tiles where level = 0 order by tile`,
  )
  const hashes = Buffer.concat(rows.map(row => row.hashes)).toString('hex')
  return { ids: rows.flatMap(row => row.ids.split(',')), hashes: hashes.match(/.{64}/g) ?? [] }
}
