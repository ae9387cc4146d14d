import { routes } from '@batua/contract'
import type { Headers } from './api.ts'
import type { ConsoleStage } from './console-stage.ts'
import type { Agent, Owner } from './network.ts'
import type { Stage } from './stage.ts'

/** What administrators have to check. */
export interface AdminStage {
  readonly admin: Headers
  /** An alert about circular payments of three agents, and the first of them. */
  readonly alertId: string
  readonly ring: readonly Agent[]
}

/** A day in IST, as days since 1970-01-01: a Friday. */
const SETTLED_DAY = 20_777
export const SETTLED_DAY_TEXT = '2026-11-20'

/**
 * Circular payments, refused payments, and a wallet below zero, all by requests; a settlement, a difference with the
 * gateway and a failed delivery by rows, because they take days.
 */
export async function openAdminStage({ stage, owner, seller }: ConsoleStage): Promise<AdminStage> {
  const { api, network } = stage
  const ring = await payInACircle(stage, owner)
  const [one, two] = ring
  for (const amount of [5_001, 6_000, 7_000])
    await network.refusedPayment(one, two, [403, 'spend_limit_exceeded'], { amount })
  await network.refusedPayment(one, two, [403, 'escrow_required'], { amount: 2_600 })
  await network.refusedPayment(two, one, [402, 'insufficient_balance'], { amount: 900 })
  await chargeBack(stage, await network.agent(owner, { name: 'Spent at once' }), seller)
  await addRows(stage)
  await api.ok(routes.advanceClock, { body: { advance_seconds: 10 } })
  const admin = await network.admin()
  return { admin, alertId: await alertAbout(stage, one), ring }
}

/** Three new agents pay one another in a circle, about which a rule opens an alert within seconds. */
export async function payInACircle(
  { network }: Stage,
  owner: Owner,
): Promise<readonly [Agent, Agent, Agent]> {
  const [one, two, three] = [
    await network.agent(owner, { name: 'Dispatcher' }),
    await network.agent(owner, { name: 'Warehouse' }),
    await network.agent(owner, { name: 'Invoice desk' }),
  ]
  await network.fund(one, 1_000)
  await network.pay(one, two, 620)
  await network.pay(two, three, 580)
  await network.pay(three, one, 560)
  return [one, two, three]
}

/** The alert about money in a circle that began with this agent. */
export async function alertAbout({ api, network }: Stage, { id }: Agent): Promise<string> {
  const query = { agent_id: id, rule: 'circular_flow' } as const
  const { alerts } = await api.ok(routes.listRiskAlerts, { headers: await network.admin(), query })
  return alerts[0]?.alert_id ?? ''
}

/** The agent spends its funding, which is then charged back. */
async function chargeBack({ api, network }: Stage, agent: Agent, payee: Agent): Promise<void> {
  const { payment_session_id } = await api.ok(routes.createFunding, {
    params: { agent_id: agent.id },
    headers: agent.headers,
    body: { amount: 500 },
  })
  const simulate = (outcome: 'success' | 'chargeback') =>
    api.ok(routes.completeSandboxPayment, { params: { payment_session_id }, body: { outcome } })
  await simulate('success')
  await network.pay(agent, payee, 400)
  await simulate('chargeback')
}

async function addRows({ database }: Stage): Promise<void> {
  await database.query(
    `insert into settlement_runs (day, paid_count, paid_paise, skipped, started_at, finished_at)
     values ($1, 310, 18420050, '{"no_verified_bank_account": 1, "below_minimum": 12}', '2026-11-20 04:30Z',
       '2026-11-20 04:31Z')`,
    [SETTLED_DAY],
  )
  await database.query(
    `insert into settlement_skips (day, agent_id, reason, balance_paise)
     select $1, id, 'no_verified_bank_account', 97300 from agents order by id limit 1`,
    [SETTLED_DAY],
  )
  await database.query(
    `insert into reconciliation_differences (id, kind, about, gateway, subject, item, ours, theirs, amount_paise,
       happened_at, found_at, last_seen_at, seen_by)
     values (gen_random_uuid(), 'amount_differs', 'funding', 'sandbox', 'fund_01kb7q3e5fexv8m2d9w4hs0abc', '',
       'completed 1000.00', 'paid 500.00', 50000, now(), now(), now(), gen_random_uuid())`,
  )
  // Of now: the service removes deliveries of long ago.
  await database.query(
    `insert into webhook_deliveries (platform_id, id, event, url, status, attempts, response_status, last_error)
     select (select platform_id from owners order by id limit 1),
       (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '70008000' || lpad(n::text, 12, '0'))::uuid,
       'agent.payment.received', 'https://shop.example/hooks/wallet', 'failed', 10, 503, 'The receiver responded with 503'
     from generate_series(1, 25) n`,
  )
}
