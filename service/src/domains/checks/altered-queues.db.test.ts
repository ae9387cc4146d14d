import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeMacs } from '../../db/row-mac.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import type { Job } from '../../operations/jobs.ts'
import { balanceOf, insertFundedAgent, startNode, type TestNode } from '../../testing/builders.ts'
import { held, intent, writtenEscrow } from '../../testing/escrows.ts'
import {
  asOwners,
  openPolicyStage,
  type PolicyStage,
  type SignedUp,
  type StageAgent,
} from '../../testing/limits/policy-stage.ts'
import { type NetworkContext, networkContext, TEST_VAULT } from '../../testing/network.ts'
import { AGENT_ROWS } from '../limits/covered-tables.ts'
import { certificateRenewals } from '../parties/agents/renew-certificates.ts'
import { budgetChanges } from '../parties/organizations/due-budgets.ts'
import { serveOrganizations } from '../parties/organizations/routes.ts'
import { accountChanges } from '../parties/owners/change-account.ts'
import { OWNER_ROWS } from '../parties/owners/store.ts'
import { policyJobs } from '../parties/policies/due-changes.ts'
import { queueTextMessage } from '../parties/text-message-store.ts'
import { openTextMessages } from '../parties/text-messages.ts'
import { approvalExpiry } from '../payments/approvals/expire.ts'
import { escrowTimeouts } from '../payments/escrow/timeouts.ts'
import { fanOut } from '../webhooks/delivering/fan-out.ts'

/** More than any job takes at once. */
const ALTERED = 110
/** So often a job runs until it has gone round its queue. */
const ROUND = 4

let stage: PolicyStage
let context: NetworkContext
let node: TestNode
let owner: SignedUp
let agent: StageAgent

beforeAll(async () => {
  stage = await openPolicyStage(new Date('2026-11-20T06:30:00.000Z'), (serve, more) => {
    serveOrganizations(serve, more)
  })
  context = networkContext(stage.db.database, stage.clock)
  node = startNode({ database: stage.db.database, clock: stage.clock })
  owner = await stage.newOwner()
  agent = await stage.newAgentOf(owner, { require_human_approval_above: 100, spend_limit_per_tx: 500 })
})
afterAll(async () => {
  await node.ledger.close()
  await stage.close()
})

const query = <Row extends object>(text: string, values: readonly unknown[] = []) =>
  stage.db.database.query<Row>(text, values)

/** Copies of a row as an attacker makes them: with other ids, `set` changed, and a MAC that does not match. */
async function copy(table: string, id: Uuid, set: string, count = ALTERED): Promise<Uuid[]> {
  const rows = await query<{ id: Uuid }>(
    `insert into ${table}
     select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), ${set}))).* 
     from ${table} r, generate_series(1, ${count}) n where r.id = $1 returning id`,
    [id],
  )
  return rows.map(row => row.id)
}

/** An hour before anything that the service has left in the queue. */
const EARLIER = `timestamptz '2026-11-20 05:30Z'`

async function run(job: Job | undefined): Promise<void> {
  for (let times = 0; times < ROUND; times++) await job?.run(stage.clock.now())
}

const one = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row> => {
  const [row] = await query<Row>(text, values)
  if (row === undefined) throw new Error(`nothing: ${text}`)
  return row
}

test('however many altered approvals are due, a genuine one expires', async () => {
  const shop = await stage.newAgentOf(owner)
  const { body } = await stage.pay(agent, shop, 200)
  expect(body).toMatchObject({ status: 'pending_approval' })
  const { id } = await one<{ id: Uuid }>(`select id from approvals where agent_id = $1`, [agent.uuid])
  await copy('approvals', id, `'expires_at', ${EARLIER}`)
  stage.clock.advance(2 * DAY_MS)
  await run(approvalExpiry(node))
  expect(await one(`select status from approvals where id = $1`, [id])).toEqual({ status: 'expired' })
  expect(await query(`select id from approvals where status = 'expired'`)).toHaveLength(1)
  await query(`delete from approvals where id <> $1`, [id])
})

const copiesOfAgent = () =>
  copy('agents', agent.uuid, `'handle', gen_random_uuid(), 'key_hash', gen_random_uuid()`)

const ownerOf = async ({ uuid }: StageAgent) =>
  (await one<{ id: Uuid }>('select owner_id as id from agents where id = $1', [uuid])).id

const copiesOfOwner = (id: Uuid, set = `'phone_index', n`) =>
  copy('owners', id, `'platform_id', gen_random_uuid(), ${set}`)

const wait = (subject: Uuid, kind: 'agent' | 'owner') =>
  query(
    `insert into pending_policy_changes (subject, subject_kind, control, value, effective_at)
     values ($1, $2, 'spend_limit_per_tx', '99999', ${EARLIER})`,
    [subject, kind],
  )

test('however many altered changes of policies are due, genuine ones of an agent and of an owner take effect', async () => {
  const session = asOwners(owner.ownerId)
  const limit = (value: number) =>
    stage.ask('PATCH', '/api/web/policy', session, { spend_limit_per_tx: value })
  expect((await limit(400)).status).toBe(200)
  expect((await limit(450)).status).toBe(200)
  const raised = await stage.ask('PATCH', `/v1/agents/${agent.id}`, owner.platform, {
    spend_limit_per_tx: 600,
  })
  expect(raised.status).toBe(200)
  for (const id of await copiesOfAgent()) await wait(id, 'agent')
  const ownerId = await ownerOf(agent)
  const owners = await copiesOfOwner(ownerId)
  for (const id of owners) await wait(id, 'owner')
  stage.clock.advance(2 * DAY_MS)
  const [job] = policyJobs(context)
  await run(job)
  await run(job)
  const left = await query<{ subject: Uuid }>('select subject from pending_policy_changes')
  const subjects = left.map(({ subject }) => subject)
  expect(subjects).not.toContain(agent.uuid)
  expect(subjects).not.toContain(ownerId)
  expect(subjects).toHaveLength(2 * ALTERED)
  await query('delete from pending_policy_changes')
  await query('delete from owners where id = any($1)', [owners])
})

test('no change of a policy that was written by hand takes effect for an owner whose policy was deleted', async () => {
  const strict = await stage.newOwner()
  const payer = await stage.newAgentOf(strict)
  const shop = await stage.newAgentOf(strict)
  const set = await stage.ask('PATCH', '/api/web/policy', asOwners(strict.ownerId), {
    spend_limit_per_tx: 10,
  })
  expect(set.status).toBe(200)
  const ownerId = await ownerOf(payer)
  await query('delete from owner_policies where owner_id = $1', [ownerId])
  await wait(ownerId, 'owner')
  const [job] = policyJobs(context)
  await run(job)
  expect((await stage.pay(payer, shop, 11)).status).toBe(500)
  const change = await stage.ask('PATCH', '/api/web/policy', asOwners(strict.ownerId), {
    max_counterparties_per_hour: 3,
  })
  expect(change.status).toBe(500)
  expect((await stage.pay(payer, shop, 11)).status).toBe(500)
  await query('delete from pending_policy_changes')
})

test('however many altered escrows are due, a genuine one times out', async () => {
  const { database } = stage.db
  const payer = await insertFundedAgent(node.ledger, database, stage.clock, 10_000n)
  const terms = { timeoutMs: DAY_MS, autoAction: 'refund' } as const
  const escrow = await held(database, node, intent(payer, 5_000n, terms))
  await copy('escrows', escrow.id, `'expires_at', 'infinity', 'next_try_at', ${EARLIER}`, 600)
  stage.clock.advance(2 * DAY_MS)
  await run(escrowTimeouts(node))
  expect(await writtenEscrow(database, escrow.id)).toMatchObject({ status: 'refunded' })
  expect(await balanceOf(database, payer)).toBe(10_000n)
})

test('however many altered budgets are due, a genuine one takes effect', async () => {
  const due = `'budget_limit_paise', 100, 'pending_budget_paise', 200, 'pending_budget_effective_at', ${EARLIER}`
  await copy('agents', agent.uuid, `'handle', gen_random_uuid(), 'key_hash', gen_random_uuid(), ${due}`)
  await query(
    `update agents set budget_limit_paise = 100000, pending_budget_paise = 200000, pending_budget_effective_at = $2
     where id = $1`,
    [agent.uuid, stage.clock.now()],
  )
  await writeMacs(stage.db.database, TEST_VAULT, AGENT_ROWS, [agent.uuid])
  await run(budgetChanges(context))
  const budget = 'select budget_limit_paise as budget from agents where id = $1'
  expect(await one(budget, [agent.uuid])).toEqual({ budget: 200_000n })
})

test('however many altered bank accounts are due, a genuine one takes effect', async () => {
  const ownerId = await ownerOf(agent)
  await copiesOfOwner(ownerId, `'phone_index', n, 'pending_bank_effective_at', ${EARLIER}`)
  await query(
    `update owners set kyc_status = 'verified', pending_bank_account = 'an account', pending_bank_account_last4 = '4321',
       pending_bank_ifsc = 'HDFC0001234', pending_bank_effective_at = $2 where id = $1`,
    [ownerId, stage.clock.now()],
  )
  await writeMacs(stage.db.database, TEST_VAULT, OWNER_ROWS, [ownerId])
  await run(accountChanges(context))
  const account = 'select bank_account_last4 as last4 from owners where id = $1'
  expect(await one(account, [ownerId])).toEqual({ last4: '4321' })
})

test('a genuine certificate renewal is made, however many renewals name agents that do not exist', async () => {
  await stage.ask('PATCH', `/v1/agents/${agent.id}`, owner.platform, { name: 'Renamed' })
  await query(
    `insert into certificate_renewals (agent_id, requested_at)
     select gen_random_uuid(), ${EARLIER} from generate_series(1, ${ALTERED})`,
  )
  await run(certificateRenewals(context))
  expect(await query('select 1 from certificate_renewals where agent_id = $1', [agent.uuid])).toEqual([])
})

test('altered text messages do not block other text messages', async () => {
  const { database } = stage.db
  const now = stage.clock.now()
  await query(
    `insert into text_messages (id, content, next_attempt_at)
     select gen_random_uuid(), '\\x00', ${EARLIER} from generate_series(1, ${ALTERED})`,
  )
  const occasion = {
    kind: 'bank_account_changed',
    phone: '9000000001',
    last4: '4321',
    effectiveAt: now,
  } as const
  await queueTextMessage(database, TEST_VAULT, now, occasion)
  const sent: string[] = []
  const messages = openTextMessages({
    ...context,
    sender: {
      name: 'test',
      send: async ({ text }) => {
        sent.push(text)
        return { kind: 'value', value: 'sent' }
      },
    },
    texts: { bankAccount: 'Account {last4}', passkey: '{change}', app: '{agent}' },
    baseUrl: '',
  })
  await run(messages)
  await run(messages)
  expect(sent).toEqual(['Account 4321'])
  expect(await query(`select id from text_messages where next_attempt_at <= $1`, [now])).toEqual([])
  await query('delete from text_messages')
})

test('altered rows of payment events do not block the fan-out of others', async () => {
  const { database } = stage.db
  const owner = await stage.newOwner()
  const [payer, shop] = [await stage.newAgentOf(owner), await stage.newAgentOf(owner)]
  const platform = await one<{ id: Uuid }>('select platform_id as id from agents where id = $1', [payer.uuid])
  await query(`update platforms set webhook_url = 'https://example.com' where id = $1`, [platform.id])
  await query('delete from payment_events')
  for (const payments of ['{NULL}', '{{$1,$1},{$1,$1}}', '[3:3]={$1}', '{}']) {
    const list = payments.replaceAll('$1', newUuid(stage.clock.now()))
    await query(
      `insert into payment_events (id, payments, platforms, payer_platforms, payee_platforms)
       values (gen_random_uuid(), $1::uuid[], array[$2::uuid, null], '{0}', '{1}')`,
      [list, platform.id],
    )
  }
  expect((await stage.pay(payer, shop, 1)).status).toBe(200)
  await fanOut(database, stage.clock.now())
  expect(await query('select id from payment_events')).toEqual([])
  const backlog = await query('select 1 from webhook_backlog where platform_id = $1', [platform.id])
  expect(backlog.length).toBeGreaterThan(0)
})
