import { afterAll, expect } from 'vitest'
import { arrayLiteral } from '../db/array-literal.ts'
import type { Connection } from '../db/database.ts'
import { applyFundingUpdate } from '../domains/banking/funding/apply-funding-update.ts'
import { applyPayoutUpdate } from '../domains/banking/payouts/apply-payout-update.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import { newUuid } from '../kernel/ids.ts'
import { allocateOn, organize } from '../testing/allocating.ts'
import { approvalOf, approve, reject } from '../testing/approving.ts'
import {
  changeAgent,
  fund,
  insertAgent,
  insertFundedAgent,
  order,
  refundOrder,
  startNode,
} from '../testing/builders.ts'
import { database, test } from '../testing/database-test.ts'
import { held, intent, refundOn, releaseOn } from '../testing/escrows.ts'
import { refusalOf } from '../testing/expect-refusal.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { recordingDatabase, type Sent } from '../testing/recording-database.ts'

const WALLETS = 1_000
const PAYEES = 20
const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const sent = new Map<string, Sent>()
let session: Connection

test.beforeAll(async () => {
  await runEverything()
  session = await database.connect()
  await prepareAll()
})

afterAll(async () => {
  await session.release()
})

/**
 * Makes the committers send every statement they have: limits, lists of payees, keys, references, refunds, allocations,
 * escrows, and the look-ups of fundings and payouts.
 */
async function runEverything(): Promise<void> {
  const node = startNode({ database: recordingDatabase(database, sent), clock, optimism: 'always' })
  const watched = { spend_limit_hourly_paise: 10_000n, max_counterparties_per_hour: 9 }
  const payer = await insertFundedAgent(node.ledger, database, clock, 1_000_000n, watched)
  const payee = await insertFundedAgent(node.ledger, database, clock, 1_000_000n)
  await node.pay(order(payer, payee, 9_000n, { idempotencyKey: 'k', reference: 'r', uniqueReference: true }))
  clock.advance(HOUR_MS / 2)
  const { payment_id } = await node.pay(order(payer, payee, 500n))
  clock.advance(HOUR_MS / 2)
  await node.pay(order(payer, payee, 9_000n))
  await refusalOf(node.pay(order(payer, payee, 9_501n)))
  await node.refund(await refundOrder(database, payment_id, 100n))
  await changeAgent(database, payer, { max_counterparties_per_hour: null })
  await node.pay(order(payer, payee, 1n))
  await changeAgent(database, payer, { require_human_approval_above_paise: 1n })
  const ask = async () => approvalOf(database, await node.pay(order(payer, payee, 2n)))
  await approve(node, await ask())
  await reject(node, await ask())
  await organize(database, payer, [payee])
  await allocateOn(node, payer, payee, 3n, 'k')
  const hold = () => held(database, node, intent(payee, 1n, { toAgentId: payer }))
  await releaseOn(node, await hold(), payer)
  await refundOn(node, await hold())
  const none = { agentId: payer, id: newUuid(clock.now()) }
  await refusalOf(node.ledger.submit(applyFundingUpdate(none, { kind: 'none' }, null)))
  await refusalOf(node.ledger.submit(applyPayoutUpdate(none, { kind: 'none' })))
  await node.ledger.close()
}

/** Prepares and plans the statements while each table has one page and its statistics say so. */
async function prepareAll(): Promise<void> {
  await database.query('vacuum analyze')
  for (const { text, values } of sent.values())
    if (values === null && text.startsWith('set')) await session.query(text)
  for (const [at, { text, values }] of prepared().entries()) {
    await session.query(`prepare plan_${at} as ${text}`)
    await session.query('begin')
    await session.query(`execute plan_${at} (${literals(values)})`).catch(() => undefined)
    await session.query('rollback')
  }
}

function prepared(): { text: string; values: readonly unknown[] }[] {
  return [...sent.values()].flatMap(({ text, values }) => (values === null ? [] : [{ text, values }]))
}

function literals(values: readonly unknown[]): string {
  return values.map(value => `'${literal(value).replaceAll("'", "''")}'`).join(', ')
}

function literal(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return Array.isArray(value) ? arrayLiteral(value) : String(value)
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

async function planOf(at: number, values: readonly unknown[]): Promise<PlanNode> {
  const rows = await session.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
    `explain (format json) execute plan_${at} (${literals(values)})`,
  )
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('there is no plan')
  return plan
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** Every index that some statement reads, with the columns and comparisons of its condition. */
async function indexesUsed(): Promise<string[]> {
  const used = new Set<string>()
  for (const [at, { text, values }] of prepared().entries()) {
    for (const node of nodesOf(await planOf(at, values))) {
      if (node['Node Type'].includes('Seq Scan'))
        throw new Error(`A scan of ${node['Relation Name']} in ${text}`)
      if (node['Index Name'] === undefined) continue
      const condition = (node['Index Cond'] ?? '').replaceAll("((data)::jsonb ->> 'row'::text)", 'row')
      const comparisons = [...condition.matchAll(/\((\w+) ([<>=]+)/g)]
      used.add(
        `${node['Index Name']} (${comparisons.map(([, column, how]) => `${column} ${how}`).join(', ')})`,
      )
    }
  }
  return [...used].toSorted()
}

/** Each payer has paid 20 agents: the next 20 in the order of their numbers. */
async function grow(): Promise<void> {
  await database.query(`
    create temporary table numbered as select gen_random_uuid() as id, n from generate_series(0, ${WALLETS - 1}) n;
    create temporary table pairs as
      select a.id as payer, b.id as payee, gen_random_uuid() as payment
      from numbered a cross join generate_series(1, ${PAYEES}) step
        join numbered b on b.n = (a.n + step) % ${WALLETS};
    insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
      select id, 0, 0, 0, 0, 0 from numbered;
    insert into agents (id, platform_id, owner_id, handle, name, key_hash, key_last4, public_key, created_at)
      select id, id, id, id, 'x', '', '', '', now() from numbered;
    insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, created_at)
      select id, id, 'x', '', '', '', '', now() from numbered;
    insert into owner_policies (owner_id) select id from numbered;
    insert into org_members (agent_id, org_id, role, joined_at) select id, id, 'worker', now() from numbered;
    insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal, linked_id,
        idempotency_key, reference)
      select payer, payment, payee, 'payment', 1, now(), '', payment, payment, payment from pairs;
    insert into counterparty_windows (payer, payee, ist_day, ist_day_spent_paise, last_paid_at)
      select payer, payee, 0, 0, now() from pairs;
    insert into approvals (agent_id, id, kind, payee, amount_paise, fee_paise, reference, idempotency_key,
        unique_reference, rule, layer, created_at, expires_at)
      select payer, payment, 'payment', payee, 1, 1, payment, payment, false, 'require_human_approval_above',
        'agent', now(), now() + interval '1 day' from pairs;
    insert into escrows (agent_id, id, amount_paise, created_at, hold_sequence)
      select payer, payment, 1, now(), 1 from pairs;
    insert into fundings (agent_id, id, session_id, gateway, method, amount_paise, created_at, expires_at)
      select payer, payment, payment, 'sandbox', 'upi', 1, now(), now() from pairs;
    insert into payouts (agent_id, id, owner_id, kind, amount_paise, provider, bank_account, bank_account_last4,
        bank_ifsc, created_at)
      select payer, payment, payer, 'withdraw', 1, 'sandbox', '', '', '', now() from pairs;
    insert into gateway_refunds (id, gateway, order_id, gateway_payment_id, amount_paise, currency, reason, created_at)
      select payment, 'sandbox', payment, payment, 1, 'INR', 'late', now() from pairs;
    insert into allowances (agent_id, id, payee, amount_paise, created_at, until_at, used_paise, uses, is_ended)
      select payer, payment, payee, 1, now(), now() + interval '1 day', 0, 0, true from pairs;
    insert into audit_entries (id, agent_id, actor_type, actor_id, action, target, data, created_at)
      select payment, payer, 'service', '', 'escrow.released', payment, '{}', now() from pairs`)
}

const EXPECTED = [
  'accounts_pkey (id =)',
  'agent_origins_pkey (agent_id =)',
  'agents_pkey (id =)',
  'allowances_open (agent_id =, until_at >)',
  'approvals_id (id =)',
  'approvals_key (agent_id =, idempotency_key =)',
  'approvals_pkey (agent_id =, id >=)',
  'approvals_reference (agent_id =, reference =, payee =)',
  'audit_entries_outcomes (target =)',
  'audit_entries_rows (row =)',
  'counterparty_windows_pkey (payer =, payee =)',
  'counterparty_windows_recent (payer =, last_paid_at >)',
  'escrows_id (id =)',
  'fundings_id (id =)',
  'gateway_refunds_order (order_id =)',
  'org_members_pkey (agent_id =)',
  'owner_policies_pkey (owner_id =)',
  'owners_pkey (id =)',
  'payouts_id (id =)',
  'pending_policy_changes_pkey (subject =)',
  'policy_versions_pkey (agent_id =)',
  'tier_defaults_pkey (tier =)',
  'transfers_allocations (linked_id =, idempotency_key =)',
  'transfers_credit (credit_account =, id >=)',
  'transfers_funded (credit_account =, posted_at >=)',
  'transfers_id (id =)',
  'transfers_idempotency (debit_account =, idempotency_key =)',
  'transfers_linked (linked_id =)',
  'transfers_pkey (debit_account =, id >=)',
  'transfers_pkey (debit_account =, id >=, id <)',
  'transfers_reference (debit_account =, reference =, credit_account =)',
  'transfers_undoing (linked_id =)',
]

test('every statement of a committer finds its rows by index, with old statistics and with new ones', async () => {
  // Even where a table has one page, for which the planner would prefer a scan.
  await expect(indexesUsed()).resolves.toContain('accounts_pkey (id =)')
  await grow()
  // As committers do; otherwise the plans made for one page would be kept.
  await session.query('discard plans')
  // The statistics are old; still no statement reads more than the rows of one wallet.
  for (const used of await indexesUsed())
    expect(used).toMatch(
      /\((id|debit_account|credit_account|payer|agent_id|owner_id|tier|linked_id|subject|row|target|order_id) =/,
    )
  await database.query('analyze')
  await expect(indexesUsed()).resolves.toEqual(EXPECTED)
}, 60_000)

test('a committer discards its plans each time the number of its batches has doubled', async () => {
  const texts: string[] = []
  const noted = { set: (text: string) => texts.push(text) }
  const node = startNode({ database: recordingDatabase(database, noted), clock, committers: 1 })
  const id = await insertAgent(database, clock.now())
  for (let batch = 0; batch < 20; batch++) await fund(node.ledger, id, 1n)
  const commitsBefore = texts.flatMap((text, at) =>
    text === 'discard plans' ? [texts.slice(0, at).filter(each => each === 'commit').length] : [],
  )
  expect(commitsBefore).toEqual([3, 7, 15])
  await node.ledger.close()
})
