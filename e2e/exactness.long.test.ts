import { randomInt } from 'node:crypto'
import { type BodyOf, type ErrorEnvelope, type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, openApi, pathOf, type Reply, request } from './src/api.ts'
import type { TestDatabase } from './src/database.ts'
import { type EmbeddedService, startEmbedded } from './src/embedded.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Agent, openNetwork } from './src/network.ts'

const SECONDS = Number(process.env['LONG_SECONDS'] ?? 60)
const CLIENTS = 64
const MAX_PAISE = 150
/** On a slow machine it continues until so many were requested: by then every limit was reached. */
const LEAST_PAYMENTS = 3_500

type Policy = BodyOf<typeof routes.updateAgent>

/** The wallets: some without a limit, one for each kind of limit, small enough to be reached within seconds. */
const POLICIES: readonly Policy[] = [
  {},
  {},
  { spend_limit_per_tx: 0.75 },
  { spend_limit_hourly: 60.01 },
  { spend_limit_daily: 45.37 },
  { spend_limit_monthly: 80.03 },
  { per_counterparty_daily_limit: 12.09 },
  { max_counterparties_per_hour: 2 },
]

let service: EmbeddedService
let api: Api
let agents: Agent[]
let window: TestDatabase

/** Every response to a payment with this key. */
const responses = new Map<string, Reply[]>()
let balancesBelowZero = 0
let unexpected = 0

beforeAll(
  async () => {
    service = await startEmbedded()
    api = openApi(service.address)
    const network = openNetwork(api)
    const owner = await network.owner(await network.platform())
    await network.verify(owner)
    agents = []
    for (const policy of POLICIES) agents.push(await network.agent(owner, policy))
    // One wallet starts with almost nothing, so that payments compete for its balance.
    for (const [index, agent] of agents.entries()) await network.fund(agent, index === 1 ? 20 : 2_000)
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(index, Date.now() + SECONDS * 1000))
    await Promise.all(clients)
    window = await service.window()
  },
  SECONDS * 1000 + 60_000,
)
afterAll(async () => {
  await window.close()
  await service.remove()
})

function pick<Item>(items: readonly Item[]): Item {
  const item = items[randomInt(items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Payments, a third of them sent two or three times at once, with refunds, fundings and queries in between. */
async function client(index: number, deadline: number): Promise<void> {
  const received: { payment: string; by: Agent }[] = []
  for (let count = 0; Date.now() < deadline || responses.size < LEAST_PAYMENTS; count++) {
    // The first three always have something left to spend; the others' limits are soon used up.
    const from = pick(count % 2 === 0 ? agents : agents.slice(0, 3))
    const to = pick(agents.filter(agent => agent !== from))
    const key = `${index}-${count}`
    const times = count % 3 === 0 ? 1 + randomInt(3) : 1
    const amount = randomInt(1, MAX_PAISE + 1) / 100
    const replies = await Promise.all(Array.from({ length: times }, () => pay(from, to, amount, key)))
    const paid = replies.find(reply => reply.status === 200)
    if (paid) received.push({ payment: paymentId(paid), by: to })
    const refundable = received.length > 4 ? received.shift() : undefined
    if (refundable) await refund(refundable, `${key}-refund`)
    if (count % 20 === 0) await look(from)
    if (count % 50 === 7) await fund(from)
  }
}

async function pay(from: Agent, to: Agent, amount: number, key: string): Promise<Reply> {
  const reply = await post(pathOf(routes.pay, { params: { agent_id: from.id } }), from, {
    to: to.id,
    amount,
    idempotency_key: key,
    reference: key,
  })
  responses.set(key, [...(responses.get(key) ?? []), reply])
  return reply
}

/** Sometimes in part, twice at once, or of an amount that was refunded already. */
async function refund({ payment, by }: { payment: string; by: Agent }, key: string): Promise<void> {
  const path = pathOf(routes.refundPayment, { params: { payment_id: payment } })
  const amount = { amount: randomInt(1, MAX_PAISE + 1) / 100 }
  await Promise.all([post(path, by, { ...amount, idempotency_key: key }), post(path, by, {})])
}

async function post(path: string, { headers }: Agent, body: object): Promise<Reply> {
  const reply = await request(service.address, 'POST', path, { headers, body })
  if (![200, 201, 402, 403, 409].includes(reply.status)) unexpected++
  return reply
}

async function look(agent: Agent): Promise<void> {
  const path = pathOf(routes.getBalance, { params: { agent_id: agent.id } })
  const { body } = await request(service.address, 'GET', path, { headers: agent.headers })
  if ((body as ResponseOf<typeof routes.getBalance>).available < 0) balancesBelowZero++
}

async function fund(agent: Agent): Promise<void> {
  const session = await post(pathOf(routes.createFunding, { params: { agent_id: agent.id } }), agent, {
    amount: 1,
  })
  const { payment_session_id } = session.body as ResponseOf<typeof routes.createFunding>
  const path = pathOf(routes.completeSandboxPayment, { params: { payment_session_id } })
  await post(path, agent, { outcome: pick(['success', 'duplicate', 'double_payment', 'failure', 'late']) })
}

function paymentId(reply: Reply): string {
  return String((reply.body as ResponseOf<typeof routes.pay>).payment_id)
}

describe(`after ${SECONDS} seconds of ${CLIENTS} clients on ${POLICIES.length} wallets`, () => {
  test('payments succeeded, and only the expected refusals occurred', () => {
    const statuses = Map.groupBy([...responses.values()].flat(), reply => reply.status)
    for (const status of [200, 402, 403, 409])
      expect(statuses.get(status)?.length ?? 0).toBeGreaterThan(SECONDS)
    expect(unexpected).toBe(0)
  })

  test('the ledger is exact', async () => {
    expect(await ledgerFaults(window.query)).toEqual([])
    expect(balancesBelowZero).toBe(0)
    const below = await window.query(
      `select 1 from transfers where debit_balance_paise < 0 or credit_balance_paise < 0`,
    )
    expect(below).toEqual([])
  })

  test('every idempotency key took effect once, or not at all if it was refused', async () => {
    const rows = await window.query<{ key: string; ids: string[] }>(
      `select idempotency_key as key, array_agg(id::text) as ids from transfers
       where kind = 'payment' group by idempotency_key`,
    )
    const inLedger = new Map(rows.map(row => [row.key, row.ids.length]))
    const faults = [...responses].filter(([key, replies]) => {
      const paid = replies.filter(reply => reply.status === 200)
      return paid.length > 1 || paid.length !== (inLedger.get(key) ?? 0)
    })
    expect(faults.map(([key]) => key)).toEqual([])
    expect([...inLedger.keys()].filter(key => !responses.has(key))).toEqual([])
  })

  test('a repeated key returned the payment that has it', () => {
    const faults = [...responses].flatMap(([key, replies]) => {
      const paid = replies.find(reply => reply.status === 200)
      const repeated = replies.filter(reply => errorCode(reply) === 'idempotency_error')
      const named = repeated.map(reply => (reply.body as ErrorEnvelope).error.details?.['payment_id'])
      return named.every(id => paid !== undefined && id === paymentId(paid)) ? [] : [key]
    })
    expect(faults).toEqual([])
  })

  test('no limit was exceeded by a paisa, and each was reached', async () => {
    const IST_DAY = `((posted_at at time zone 'UTC') + interval '330 minutes')::date`
    const spent = async (agent: Agent, by: string) =>
      window.query<{ paise: string; payees: string }>(
        `select sum(amount_paise)::text as paise, count(distinct credit_account)::text as payees from transfers
         where kind = 'payment' and debit_account = (select agent_id from handles where handle = $1)
         group by ${by}`,
        [agent.handle],
      )
    const [, , perTx, hourly, daily, monthly, perCounterparty, counterparties] = agents
    if (!(perTx && hourly && daily && monthly && perCounterparty && counterparties))
      throw new Error('eight agents')
    const cases = [
      { name: 'spend_limit_per_tx', rows: await spent(perTx, 'id'), limit: 75 },
      { name: 'spend_limit_hourly', rows: await spent(hourly, 'debit_account'), limit: 6001 },
      { name: 'spend_limit_daily', rows: await spent(daily, IST_DAY), limit: 4537 },
      {
        name: 'spend_limit_monthly',
        rows: await spent(monthly, `date_trunc('month', ${IST_DAY})`),
        limit: 8003,
      },
      {
        name: 'per_counterparty_daily_limit',
        rows: await spent(perCounterparty, `credit_account, ${IST_DAY}`),
        limit: 1209,
      },
    ]
    for (const { name, rows, limit } of cases) {
      const most = Math.max(...rows.map(row => Number(row.paise)))
      expect([name, most <= limit]).toEqual([name, true])
      // A client that pays one paisa at a time would reach it exactly; these come close.
      expect([name, most > limit - MAX_PAISE]).toEqual([name, true])
    }
    const [crowd] = await spent(counterparties, 'debit_account')
    expect(Number(crowd?.payees)).toBe(2)
  })

  test('the service’s figures of a wallet match its transfers', async () => {
    for (const agent of agents) {
      const said = await api.ok(routes.getBalance, { params: { agent_id: agent.id }, headers: agent.headers })
      const [row] = await window.query<{ funded: string; spent: string }>(
        `select coalesce(sum(amount_paise) filter (where credit_account = a.agent_id), 0)::text as funded,
           coalesce(sum(amount_paise + fee_paise) filter (where debit_account = a.agent_id), 0)::text as spent
         from handles a left join transfers t on a.agent_id in (t.debit_account, t.credit_account)
         where a.handle = $1 group by a.agent_id`,
        [agent.handle],
      )
      const [funded, spent] = [Number(row?.funded), Number(row?.spent)]
      expect(said).toEqual({
        available: (funded - spent) / 100,
        total_funded: funded / 100,
        total_spent: spent / 100,
      })
    }
  })
})

function errorCode({ status, body }: Reply): string {
  return status < 400 ? '' : (body as ErrorEnvelope).error.code
}
