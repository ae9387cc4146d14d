import { APPROVAL_STATUSES, type ApprovalStatus } from '@batua/contract'
import { afterAll, expect } from 'vitest'
import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, formatId, LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { startNode, type TestNode } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { insertManyAgents } from '../../../testing/many-agents.ts'
import { networkContext, newOwner, newPlatform } from '../../../testing/network.ts'
import { selectAgentsOf } from '../../parties/agents/list-store.ts'
import { findApprovals } from './find-approvals.ts'
import { newestIds, places } from './list-store.ts'
import { openPaidBefore } from './paid-before.ts'

const AGENTS = 2_500
const OF_EACH = 8
const NOW = new Date('2026-11-20T06:30:00.000Z')

let node: TestNode

let ownerId: Uuid
let agents: readonly Uuid[]

test.beforeAll(async () => {
  const context = networkContext(database, manualClock(NOW))
  node = startNode({ database, clock: context.clock })
  const { platform } = await newPlatform(context)
  ownerId = (await newOwner(context, platform.id)).id
  const strangerId = (await newOwner(context, platform.id)).id
  for (const id of [ownerId, strangerId]) {
    await insertManyAgents(database, { platformId: platform.id, ownerId: id }, AGENTS)
  }
  agents = await selectAgentsOf(database, [ownerId])
  await insertApprovals(agents, 0)
  await insertApprovals(await selectAgentsOf(database, [strangerId]), 1)
  await database.query('vacuum analyze')
}, 60_000)

/**
 * Approvals whose ids are unrelated to those of their agents. Of eight, one has each status but one, and one is past
 * its expiry.
 */
async function insertApprovals(of: readonly Uuid[], last: number): Promise<void> {
  await database.query(
    `insert into approvals (agent_id, id, kind, payee, amount_paise, fee_paise, unique_reference, rule, layer, created_at,
       expires_at, status)
     select a[1 + (n * 7919) % $2::int4], ('01990000-0000-7000-8000-' || lpad(to_hex(n * 2 + $4::int4), 12, '0'))::uuid,
       'payment', a[1], 100, 1, false, 'require_human_approval_above', 'agent', $3, $3::timestamptz +
         case when n % 8 = 0 then interval '-1 hour' else interval '1 hour' end,
       case when n % 8 < 4 then 'pending_approval' when n % 8 < 6 then 'approved' when n % 8 < 7 then 'rejected'
         else 'expired' end
     from (select $1::uuid[] as a) ids, generate_series(1, $2::int4 * ${OF_EACH}) n`,
    [of, AGENTS, NOW, last],
  )
}

afterAll(() => node.ledger.close())

const STATUS_OF: Record<ApprovalStatus, (rest: number) => boolean> = {
  pending_approval: rest => rest > 0 && rest < 4,
  approved: rest => rest === 4 || rest === 5,
  rejected: rest => rest === 6,
  expired: rest => rest === 7 || rest === 0,
}

/** The ids of all approvals of a status, newest first. */
function expected(status: ApprovalStatus): string[] {
  return Array.from({ length: AGENTS * OF_EACH }, (_, index) => AGENTS * OF_EACH - index)
    .filter(number => STATUS_OF[status](number % 8))
    .map(number => formatId('apr', `01990000-0000-7000-8000-${(number * 2).toString(16).padStart(12, '0')}`))
}

const list = (query: object, queryable: Queryable = database) =>
  findApprovals(
    { ...node, database: queryable, paidBefore: openPaidBefore(database) },
    { kind: 'owner', ownerIds: [ownerId], sessionId: ownerId },
    query,
    NOW,
  )

test.each(APPROVAL_STATUSES)(
  'the pages of %s of 2,500 agents follow each other without gaps, by cursor and offset',
  async status => {
    const all = expected(status)
    const first = await list({ status, limit: 30 })
    expect(first.pagination.total).toBe(all.length)
    const second = await list({ status, limit: 30, cursor: first.pagination.next_cursor })
    expect([...first.approvals, ...second.approvals].map(each => each.approval_id)).toEqual(all.slice(0, 60))
    for (const offset of [1, 1_001, all.length - 1, all.length, 1_000_000]) {
      const { approvals } = await list({ status, limit: 3, offset })
      expect(approvals.map(each => each.approval_id)).toEqual(all.slice(offset, offset + 3))
    }
  },
)

test('one agent’s approvals are listed alone, and a stranger’s are not listed at all', async () => {
  const [agent = ''] = agents
  const { approvals, pagination } = await list({ agent_id: formatId('agt', agent), limit: 1 })
  expect(pagination.total).toBeLessThan(OF_EACH)
  for (const { agent_id } of approvals) expect(agent_id).toBe(formatId('agt', agent))
  const [stranger] = await database.query<{ id: Uuid }>(
    'select agent_id as id from approvals where agent_id <> all($1::uuid[]) limit 1',
    [agents],
  )
  const foreign = await list({ agent_id: formatId('agt', stranger?.id ?? '') })
  expect(foreign).toMatchObject({ approvals: [], pagination: { total: 0 } })
})

test('no statement reads the approvals of more than 1,000 agents, or an index beyond a page of each agent', async () => {
  const asked: number[] = []
  const noting: Queryable = {
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      if (typeof values[0] === 'string') asked.push(values[0].split(',').length)
      return database.query<Row>(text, values)
    },
  }
  await list({ status: 'approved', offset: 300 }, noting)
  expect(Math.max(...asked)).toBe(1_000)

  const session = await database.connect()
  await session.query('set plan_cache_mode = force_generic_plan')
  const range = `'{${agents.slice(0, 1_000).join(',')}}', '${NOW.toISOString()}', '${FIRST_UUID}', '${LAST_UUID}', 21`
  for (const status of APPROVAL_STATUSES) {
    await session.query(`prepare newest_${status} as ${newestIds(status)}`)
    await session.query(`prepare places_${status} as ${places(status)}`)
    for (const statement of [`newest_${status} (${range})`, `places_${status} (${range}, 2)`]) {
      const plan = await session.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute ${statement}`)
      expect(plan.map(line => line['QUERY PLAN']).join('\n')).not.toContain('Seq Scan')
    }
  }
  await session.release()
})
