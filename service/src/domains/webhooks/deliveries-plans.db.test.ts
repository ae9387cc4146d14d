import { afterAll, expect } from 'vitest'
import type { Connection } from '../../db/database.ts'
import { newUuid } from '../../kernel/ids.ts'
import { database, test } from '../../testing/database-test.ts'
import * as sql from './delivery-list-sql.ts'

const ROWS = 20_000
const CHUNKS = 400
const CHUNK_EVENTS = 128
/** Bounds the buffers: the rows of a page, their index pages and the chunks of the platform. */
const FEW_BLOCKS = 500
const PLATFORM = newUuid(new Date('2026-11-20T06:30:00.000Z'))

const ALL = { status: null, event: null }
const PENDING = { status: 'pending', event: null } as const
const FAILED = { status: 'failed', event: null } as const
const DELIVERED = { status: 'delivered', event: null } as const
const SENT = { status: null, event: 'agent.payment.sent' } as const
const FUNDED = { status: null, event: 'agent.funded' } as const
const FAILED_FUNDED = { status: 'failed', event: 'agent.funded' } as const

const LAST = `'ffffffff-ffff-ffff-ffff-ffffffffffff'`
/** The id of the n-th event; the backlog's are the newest. */
const id = (n: string | number) => `('01990000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const FIRST_WAITING = ROWS + 1
const LATE_CHUNK = id(FIRST_WAITING + (CHUNKS - 21) * CHUNK_EVENTS)

const PAGE = `${LAST}, 0, 21`
const PAGE_OF_BACKLOG = `${PAGE}, ${LATE_CHUNK}, ${LAST}`
const STATEMENTS: readonly (readonly [string, string, string])[] = [
  ['page', sql.selectRows(ALL), PAGE],
  ['page_failed', sql.selectRows(FAILED), PAGE],
  ['page_delivered', sql.selectRows(DELIVERED), PAGE],
  ['page_event', sql.selectRows(FUNDED), `${PAGE}, 'agent.funded'`],
  ['page_failed_event', sql.selectRows(FAILED_FUNDED), `${PAGE}, 'agent.funded'`],
  ['page_with_backlog', sql.selectRowsAndBacklog(ALL), PAGE_OF_BACKLOG],
  ['page_pending', sql.selectRowsAndBacklog(PENDING), PAGE_OF_BACKLOG],
  ['page_sent', sql.selectRowsAndBacklog(SENT), `${PAGE_OF_BACKLOG}, 'agent.payment.sent'`],
  ['skip', sql.selectRows(ALL), `${LAST}, ${ROWS / 2}, 21`],
  ['bounds', sql.SELECT_BACKLOG_BOUNDS, `${LAST}, 21`],
  ['newest_row', sql.SELECT_NEWEST_ROW, id(FIRST_WAITING)],
  ['count', sql.countRows(ALL), ''],
  ['count_failed', sql.countRows(FAILED), ''],
  ['count_delivered', sql.countRows(DELIVERED), ''],
  ['count_event', sql.countRows(FUNDED), `'agent.funded'`],
  ['count_backlog', sql.countBacklog(ALL), `${id(FIRST_WAITING)}, ${id(FIRST_WAITING)}`],
]

let session: Connection

test.beforeAll(async () => {
  session = await database.connect()
  await grow()
  for (const [name, text] of STATEMENTS) await session.query(`prepare ${name} as ${text}`)
  await session.query('set plan_cache_mode = force_generic_plan')
}, 60_000)

afterAll(async () => {
  await session.release()
})

/** One platform with many deliveries and many waiting events, among others. */
async function grow(): Promise<void> {
  const status = `case when n % 50 = 0 then 'failed' when n % 50 = 1 then 'pending' else 'delivered' end`
  const event = `case n % 3 when 0 then 'agent.funded' when 1 then 'agent.payment.sent' else 'agent.payment.received' end`
  const others = `('01980000-0000-7000-8000-' || lpad(to_hex(n % 50), 12, '0'))::uuid`
  for (const platform of [`'${PLATFORM}'`, others]) {
    await session.query(`insert into webhook_deliveries (platform_id, id, event, status)
      select ${platform}, ${id('n')}, ${event}, ${status} from generate_series(1, ${ROWS}) n`)
    await session.query(`insert into webhook_backlog (platform_id, id, event_ids)
      select ${platform}, ${id('c')}, array(select ${id('c + k')} from generate_series(0, ${CHUNK_EVENTS - 1}) k)
      from generate_series(0, ${CHUNKS - 1}) n, lateral (select ${FIRST_WAITING} + n * ${CHUNK_EVENTS} as c) s`)
  }
  await session.query('vacuum analyze')
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

async function explain(name: string, values: string): Promise<PlanNode> {
  const given = values === '' ? '' : `, ${values}`
  const rows = await session.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, buffers, format json) execute ${name} ('${PLATFORM}'${given})`,
  )
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('there is no plan')
  return plan
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

test.each(STATEMENTS)(
  'the statement %s reads index ranges of its platform, never a whole table',
  async (name, _, values) => {
    const plan = await explain(name, values)
    const nodes = nodesOf(plan)
    expect(nodes.filter(node => node['Node Type'] === 'Seq Scan')).toEqual([])
    if (!name.startsWith('page')) return
    // A page reads its own rows, and at most one chunk of waiting events for each of them.
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(FEW_BLOCKS)
    const sorted = nodes.filter(node => node['Node Type'] === 'Sort').flatMap(({ Plans = [] }) => Plans)
    for (const node of sorted) expect(node['Actual Rows']).toBeLessThanOrEqual(22 * CHUNK_EVENTS)
  },
)
