import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '@batua/contract'
import { afterAll, expect } from 'vitest'
import type { Connection } from '../../../db/database.ts'
import { FIRST_UUID, LAST_UUID, newUuid } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { SELECT_MOVEMENTS, SELECT_STATES } from './exports/movement-store.ts'
import { COUNT_BY_REFERENCE, SELECT_LINES_BY_REFERENCE, SELECT_PLACES_BY_REFERENCE } from './reference-sql.ts'
import { type StatementFilter, statementScope } from './statement-scope.ts'
import {
  COUNT_RANGE,
  COUNT_WHOLE,
  SELECT_LAST_SKIPPED,
  SELECT_LINES,
  SELECT_PAGES,
  SELECT_PLACES,
} from './statement-sql.ts'

const OF_KIND = 20_000
const FEW_BLOCKS = 2_500
const WALLET = newUuid(new Date('2026-11-20T06:30:00.000Z'))
const ESCROW = '00000000-0000-7000-8000-000000000040'
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

const STATEMENTS = [
  ['page', SELECT_LINES],
  ['pages', SELECT_PAGES],
  ['skip', SELECT_LAST_SKIPPED],
  ['places', SELECT_PLACES],
  ['count_range', COUNT_RANGE],
  ['count_whole', COUNT_WHOLE],
  ['states', SELECT_STATES],
  ['movements', SELECT_MOVEMENTS],
] as const

/** Ids that sort as their numbers do; each part of the history has its own range. */
function id(part: number): string {
  return `('01990000-0000-7000-8000-' || lpad(to_hex((n + ${part * OF_KIND}) * 2), 12, '0'))::uuid`
}

/**
 * One wallet with 100,000 transfers of every kind, among those of others. One hold in four is open, one was refunded.
 */
async function grow(): Promise<void> {
  const [mine, other, system] = [`'${WALLET}'`, 'gen_random_uuid()', `'${ESCROW}'`]
  const numbers = `from generate_series(1, ${OF_KIND}) n`
  const transfers = (
    kind: string,
    debit: string,
    credit: string,
    part: number,
    linked = 'null',
    only = 'true',
  ) =>
    session.query(`insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal,
      linked_id) select ${debit}, ${id(part)}, ${credit}, '${kind}', 1, now(), '', ${linked} ${numbers} where ${only}`)
  await transfers('payment', mine, other, 1)
  await transfers('payment', other, mine, 2)
  await transfers('fund', system, mine, 3)
  await transfers('escrow_hold', mine, system, 4)
  await transfers('escrow_release', system, other, 5, id(4), 'n % 4 < 2')
  await transfers('escrow_refund', system, mine, 6, id(4), 'n % 4 = 2')
  await transfers('payout', mine, system, 7)
  await transfers('payment', other, other, 8)
  await transfers('escrow_hold', other, system, 9)
  for (const [agent, moved] of [
    [mine, { funded: 3, paidOut: 7 }],
    [other, { funded: 10, paidOut: 11 }],
  ] as const) {
    await session.query(`insert into fundings (agent_id, id, session_id, gateway, method, amount_paise, status,
      created_at, expires_at)
      select ${agent}, ${id(moved.funded)}, ${id(moved.funded)}, 's', 'link', 1, 'completed', now(), now() ${numbers}`)
    await session.query(`insert into payouts (agent_id, id, owner_id, kind, amount_paise, status, provider, bank_account,
      bank_account_last4, bank_ifsc, created_at)
      select ${agent}, ${id(moved.paidOut)}, ${mine}, 'withdraw', 1, 'completed', 's', '', '', '', now() ${numbers}`)
  }
  await session.query(`insert into accounts (id, sequence, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms,
    ist_day) values (${mine}, ${5 * OF_KIND + OF_KIND / 4}, 0, 0, 0, 0, 0)`)
  await session.query('vacuum analyze')
}

const NO_FILTER: StatementFilter = { type: null, status: null, span: { from: null, until: null } }
const FILTERS = [null, ...TRANSACTION_TYPES].flatMap(type =>
  [null, ...TRANSACTION_STATUSES].map(status => ({ ...NO_FILTER, type, status })),
)

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

interface Explained {
  readonly Plan: PlanNode & { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number }
  readonly 'Execution Time': number
}

async function explain(
  statement: string,
  filter: StatementFilter,
  further: readonly number[],
): Promise<Explained> {
  const { wallets, from, until, creditsUntil, sources, statuses } = statementScope([WALLET], filter)
  const list = (values: readonly string[]) => `'{${values.join(',')}}'`
  const values = [
    list(wallets),
    `'${from}'`,
    `'${until}'`,
    `'${creditsUntil}'`,
    list(sources),
    list(statuses),
  ]
  return explainWith(statement, [...values, ...further])
}

async function explainWith(statement: string, values: readonly (string | number)[]): Promise<Explained> {
  const rows = await session.query<{ 'QUERY PLAN': readonly Explained[] }>(
    `explain (analyze, buffers, format json) execute ${statement} (${values.join(', ')})`,
  )
  const explained = rows[0]?.['QUERY PLAN'][0]
  if (explained === undefined) throw new Error('there is no plan')
  return explained
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

const blocksOf = (plan: Explained['Plan']) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** Tables that were scanned from end to end, except the one with one row. */
function scanned(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap(node =>
    node['Node Type'] === 'Seq Scan' && node['Actual Loops'] > 0 && node['Relation Name'] !== 'accounts'
      ? [node['Relation Name'] ?? '']
      : [],
  )
}

test.each(FILTERS)('a page is read from its newest end: $type, $status', async filter => {
  const { Plan: plan } = await explain('page', filter, [21])
  expect(scanned(plan)).toEqual([])
  // A few pages for each line, however long the statement is: 100,000 transfers are stored on thousands.
  expect(blocksOf(plan)).toBeLessThan(FEW_BLOCKS)
})

test('several pages of whole statements are each read from the newest end, and counted by index', async () => {
  const { until, creditsUntil } = statementScope([WALLET], NO_FILTER)
  const others = Array.from({ length: 7 }, () => newUuid(new Date('2026-11-20T06:30:00.000Z')))
  const pages = [WALLET, ...others].map(wallet => `"${wallet} ${until} ${creditsUntil} 21"`)
  const { Plan: plan } = await explainWith('pages', [`'{${pages.join(',')}}'`])
  const { Plan: count } = await explain('count_whole', NO_FILTER, [])
  // The table of agents is empty here.
  expect(scanned(plan).filter(table => table !== 'agents')).toEqual([])
  expect(blocksOf(plan)).toBeLessThan(blocksOf(count) + FEW_BLOCKS)
})

test.each(FILTERS)('lines are counted and skipped by index alone: $type, $status', async filter => {
  const { whole } = statementScope([WALLET], filter)
  const count = await explain(whole ? 'count_whole' : 'count_range', filter, [])
  const skip = await explain('skip', filter, [50_000])
  const places = await explain('places', filter, [50_000, 10])
  for (const { Plan: plan, 'Execution Time': ms } of [count, skip, places]) {
    expect(scanned(plan)).toEqual([])
    expect(ms).toBeLessThan(5_000)
  }
})

test('the balance at a moment, and a slice of an export, are read from a few pages of indexes', async () => {
  const wallet = `'{${WALLET}}'`
  const [from, until] = [id(2).replace('(n', '(0'), id(8).replace('(n', '(0')]
  const states = await explainWith('states', [wallet, until, `'2099-01-01'`])
  const slice = await explainWith('movements', [wallet, from, until, `'2020-01-01'`, `'2099-01-01'`, 500])
  for (const { Plan: plan } of [states, slice]) expect(scanned(plan)).toEqual([])
  expect(blocksOf(states.Plan)).toBeLessThan(100)
  // Three sides of 500 lines, and the details of those that are in the slice.
  expect(blocksOf(slice.Plan)).toBeLessThan(6 * FEW_BLOCKS)
})

test('lines with a reference are found by its index, among 20,000 payments with others', async () => {
  await session.query(`update transfers set reference = 'r' || (ctid::text::point)[0]::int8 % 4000
    where debit_account = '${WALLET}' and kind = 'payment'`)
  await session.query('vacuum analyze transfers')
  const range = `'{${WALLET}}', '${FIRST_UUID}', '${LAST_UUID}', '{completed}', 'r7'`
  const statements = [
    ['lines', SELECT_LINES_BY_REFERENCE, `${range}, 21`],
    ['places', SELECT_PLACES_BY_REFERENCE, `${range}, 21, 2`],
    ['count', COUNT_BY_REFERENCE, range],
  ] as const
  for (const [name, text, values] of statements) {
    await session.query(`prepare of_reference_${name} as ${text}`)
    const plan = await session.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute of_reference_${name} (${values})`,
    )
    expect(plan.map(line => line['QUERY PLAN']).join('\n')).toContain('using transfers_reference')
  }
})
