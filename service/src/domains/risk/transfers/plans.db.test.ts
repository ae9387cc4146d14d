import { afterAll, expect } from 'vitest'
import { textArrayLiteral } from '../../../db/array-literal.ts'
import type { Connection, Database, Queryable } from '../../../db/database.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import { db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { riskJobs } from '../jobs.ts'
import { createSignalRecorder } from '../signals.ts'
import { fillLedger } from '../testing/fill-ledger.ts'

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

const firstAt = new Date('2026-11-20T06:30:00.000Z')
/** Enough payments for heavy load; the clock must be a minute after the first of them. */
const clock = manualClock(new Date(firstAt.getTime() + 70_000))
const sent = new Map<string, Sent>()
let session: Connection

test.beforeAll(async () => {
  // One payer makes nearly all payments: such statistics mislead the query planner.
  await fillLedger(db.database, {
    agents: 200,
    payers: 1,
    payments: 20_000,
    firstAt,
    spanMs: 10_000,
    mostPaise: 100_000,
  })
  await fillLedger(db.database, {
    agents: 200,
    payments: 400,
    firstAt: new Date(firstAt.getTime() + 11_000),
    spanMs: 1_000,
    mostPaise: 200_000,
  })
  const signals = createSignalRecorder(clock)
  signals.policyRefusal('01890000-0000-7000-8000-00000000000a')
  const jobs = riskJobs({
    database: recording(db.database),
    clock,
    vault: TEST_VAULT,
    logger: silentLogger(),
    signals,
  })
  for (const job of jobs) while ((await job.run(clock.now())) > 0);
  await db.database.query(`
    insert into risk_alerts (id, subject_id, agent_id, platform_id, rule, severity, score, evidence, status,
      created_at, reviewed_at)
    select md5('alert ' || n)::uuid, md5('agent ' || n)::uuid, md5('agent ' || n)::uuid, md5('platform')::uuid,
      'structuring', 'high', 40, '{}', 'dismissed', now(), now()
    from generate_series(1, 20000) n;
    insert into risk_signals (subject, kind, minute, count)
    select md5('agent ' || n)::uuid, 'policy_refusal', now(), 1 from generate_series(1, 20000) n`)
  await db.database.query('vacuum analyze')
  session = await db.database.connect()
  await session.query('set plan_cache_mode = force_generic_plan')
})

afterAll(async () => {
  await session.release()
})

function recording(database: Database): Database {
  const noted = (queryable: Queryable): Queryable => ({
    query(text, values, options) {
      if (values !== undefined) sent.set(text, { text, values })
      return queryable.query(text, values, options)
    },
  })
  return {
    ...database,
    ...noted(database),
    inTransaction: work => database.inTransaction(tx => work(noted(tx))),
  }
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

async function planOf({ text, values }: Sent): Promise<PlanNode[]> {
  await session.query(`prepare plan as ${text}`)
  const literals = values.map(value => `'${literal(value).replaceAll("'", "''")}'`).join(', ')
  const call = values.length === 0 ? 'plan' : `plan (${literals})`
  const [row] = await session.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json) execute ${call}`,
  )
  await session.query('deallocate plan')
  return row === undefined ? [] : nodesOf(row['QUERY PLAN'][0].Plan)
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function literal(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (!Array.isArray(value)) return String(value)
  return textArrayLiteral(value.map(item => (item === null ? null : literal(item))))
}

/** Tables that grow with the number of payments. */
const GROWING = ['transfers', 'risk_first_payments', 'risk_alerts', 'risk_signals']
/** The index for the cursor; a statement must not search it for the payments of one agent. */
const BY_ID = 'transfers_id'

test('every statement of the rules reads a growing table by the index made for it', async () => {
  const reads = [...sent.values()].filter(({ text }) => /from\s+(transfers|risk_)/.test(text))
  expect(reads.length).toBeGreaterThanOrEqual(14)
  for (const read of reads) {
    const nodes = await planOf(read)
    const scans = nodes
      .filter(node => GROWING.includes(node['Relation Name'] ?? ''))
      .map(node => node['Node Type'])
    expect([read.text, scans.includes('Seq Scan')]).toEqual([read.text, false])
    const isOfAgents = /\b[ab]\.agent/.test(read.text)
    // The payer of a capture is that of its authorization, whose row is read by its id.
    const ofRanges = nodes.filter(node => !/linked_id/.test(node['Index Cond'] ?? ''))
    const indexes = ofRanges.map(node => node['Index Name'])
    // A statement that reads a stretch may use the index by id, and for its agents' payments their own indexes.
    const isOfStretch = read.text.includes('p.agent')
    const byAgent = indexes.some(index => index === 'transfers_pkey' || index === 'transfers_credit')
    if (isOfStretch)
      expect([read.text, indexes.filter(index => index === BY_ID).length, byAgent]).toEqual([
        read.text,
        1,
        true,
      ])
    if (isOfAgents) expect([read.text, indexes.includes(BY_ID)]).toEqual([read.text, false])
  }
})
