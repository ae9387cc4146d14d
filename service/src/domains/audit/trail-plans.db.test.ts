import { afterAll, expect } from 'vitest'
import type { Connection } from '../../db/database.ts'
import { newUuid } from '../../kernel/ids.ts'
import { database, test } from '../../testing/database-test.ts'
import * as sql from './trail-store.ts'

const OF_KIND = 20_000
const FEW_BLOCKS = 2_500
const AGENT = newUuid(new Date('2026-11-20T06:30:00.000Z'))
let session: Connection

const ACTION = 'escrow.held'
const FIRST = `'00000000-0000-0000-0000-000000000000'`
const LAST = `'ffffffff-ffff-ffff-ffff-ffffffffffff'`
const STATEMENTS: readonly (readonly [string, string, string])[] = [
  ['page', sql.SELECT_ENTRIES, ', 21'],
  ['page_of_action', sql.SELECT_ENTRIES_OF_ACTION, `, '${ACTION}', 21`],
  ['page_of_payments', sql.SELECT_PAYMENTS, ', 21'],
  ['skip', sql.SELECT_LAST_SKIPPED, `, ${OF_KIND}`],
  ['skip_payments', sql.SELECT_LAST_SKIPPED_PAYMENT, `, ${OF_KIND}`],
  ['skip_of_action', sql.SELECT_LAST_SKIPPED_OF_ACTION, `, '${ACTION}', ${OF_KIND / 2}`],
  ['count_entries', sql.COUNT_ENTRIES, ''],
  ['count_of_action', sql.COUNT_ENTRIES_OF_ACTION, `, '${ACTION}'`],
  ['count_payments', sql.COUNT_PAYMENTS, ''],
]

test.beforeAll(async () => {
  session = await database.connect()
  await grow()
  for (const [name, text] of STATEMENTS) await session.query(`prepare ${name} as ${text}`)
  await session.query('set plan_cache_mode = force_generic_plan')
}, 60_000)

afterAll(async () => {
  await session.release()
})

/** One agent with many payments, holds and receipts, among others. Ids sort in the order of their numbers. */
async function grow(): Promise<void> {
  const id = `('01990000-0000-7000-8000-' || lpad(to_hex(n * 16 + part), 12, '0'))::uuid`
  const rows = (part: number) => `from generate_series(1, ${OF_KIND}) n, (select ${part} as part) p`
  const [mine, other] = [`'${AGENT}'`, 'gen_random_uuid()']
  const transfers = (part: number, kind: string, debit: string, credit: string) =>
    session.query(`insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal)
      select ${debit}, ${id}, ${credit}, '${kind}', 1, now(), '' ${rows(part)}`)
  const entries = (part: number, action: string, agent: string) =>
    session.query(`insert into audit_entries (id, agent_id, actor_type, actor_id, action, target, data, created_at)
      select ${id}, ${agent}, 'agent', '', '${action}', '', '{}', now() ${rows(part)}`)
  await transfers(1, 'payment', mine, other)
  await transfers(2, 'payment', other, mine)
  await transfers(3, 'escrow_hold', mine, other)
  await transfers(4, 'payment', other, other)
  await transfers(9, 'escrow_release', other, mine)
  await entries(5, ACTION, mine)
  await entries(6, 'nonce.consumed', mine)
  await entries(7, ACTION, other)
  await entries(8, ACTION, 'null')
  await session.query('vacuum analyze')
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

interface Explained {
  readonly Plan: PlanNode
  readonly 'Execution Time': number
}

async function explain(name: string, more: string): Promise<Explained> {
  const rows = await session.query<{ 'QUERY PLAN': readonly Explained[] }>(
    `explain (analyze, buffers, format json) execute ${name} ('${AGENT}', ${FIRST}, ${LAST}${more})`,
  )
  const explained = rows[0]?.['QUERY PLAN'][0]
  if (explained === undefined) throw new Error('there is no plan')
  return explained
}

function scanned(plan: PlanNode): string[] {
  // No payment of this trail was made by an app, so its name is never looked up.
  if (plan['Actual Loops'] === 0) return []
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []
  return [...own, ...(plan.Plans ?? []).flatMap(scanned)]
}

test.each(STATEMENTS)(
  'the statement %s reads an index range of its agent, never a whole table',
  async (name, _, more) => {
    const { Plan: plan, 'Execution Time': ms } = await explain(name, more)
    expect(scanned(plan)).toEqual([])
    expect(ms).toBeLessThan(5_000)
    // A page reads only its own rows, however long the trail is.
    if (name.startsWith('page')) {
      expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(FEW_BLOCKS)
    }
  },
)
