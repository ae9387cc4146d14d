import { type QueryOf, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import type { Agent, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let owner: Owner
let headers: Headers
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  const { network } = stage
  owner = await network.owner(await network.platform())
  await network.verify(owner)
  payer = await network.fundedAgent(owner, { name: 'Research Agent' })
  payee = await network.agent(owner, { name: 'Übersetzer' })
  headers = await network.login(owner)
})
afterAll(() => stage.close())

const find = (query: QueryOf<typeof routes.listOwnerTransactions>) =>
  stage.api.ok(routes.listOwnerTransactions, { headers, query })

test('the balances of an owner add up to their total at every moment of many payments', async () => {
  const { api, network } = stage
  let isPaying = true
  const payments = (async () => {
    for (let count = 0; count < 10; count++) await network.pay(payer, payee, 1.37)
    isPaying = false
  })()
  while (isPaying) {
    const { balances, total, pagination } = await api.ok(routes.listBalances, { headers })
    expect(pagination.total).toBe(2)
    for (const name of ['available', 'total_funded', 'total_spent'] as const) {
      const paise = balances.reduce((sum, each) => sum + Math.round(each[name] * 100), 0)
      expect(Math.round(total[name] * 100)).toBe(paise)
    }
  }
  await payments
})

test('the sums of an owner are over all pages, and a stranger’s wallets are in none', async () => {
  const { api, network } = stage
  await network.fundedAgent(await network.owner(await network.platform()))
  const all = await api.ok(routes.listBalances, { headers })
  const first = await api.ok(routes.listBalances, { headers, query: { limit: 1 } })
  const second = await api.ok(routes.listBalances, {
    headers,
    query: { limit: 1, cursor: first.pagination.next_cursor ?? '' },
  })
  const behind = await api.ok(routes.listBalances, { headers, query: { offset: 50 } })
  expect([...first.balances, ...second.balances]).toEqual(all.balances)
  expect([first.total, second.total, behind.total]).toEqual([all.total, all.total, all.total])
  expect(behind.balances).toEqual([])
})

test('a deactivated agent’s wallet is listed while it has money', async () => {
  const { api, network } = stage
  const old = await network.fundedAgent(owner)
  const empty = await network.agent(owner)
  for (const { id } of [old, empty]) {
    await api.ok(routes.deactivateAgent, { params: { agent_id: id }, headers: owner.platform.headers })
  }
  const { balances } = await api.ok(routes.listBalances, { headers })
  expect(balances.map(({ agent_id }) => agent_id)).toEqual([old.id, payee.id, payer.id])
  expect(balances[0]).toMatchObject({ status: 'deactivated', available: 975 })
})

test('a search finds a transaction by any of its texts, in any case, on both sides of a payment', async () => {
  const { network } = stage
  const made = await network.pay(payer, payee, 12.5, { reference: 'INV-2041', note: 'Café, 12 pages' })
  for (const search of ['inv-2041', 'CAFE\u0301', made.payment_id ?? '', '2 pages']) {
    const { transactions, pagination, ...more } = await find({ search })
    expect([search, transactions.map(({ type }) => type), pagination.total]).toEqual([
      search,
      ['pay_in', 'pay_out'],
      2,
    ])
    expect(more).toEqual({})
  }
  expect((await find({ search: 'inv-2041', type: 'pay_in' })).transactions).toHaveLength(1)
  expect((await find({ search: 'inv-2041', agent_id: payer.id })).transactions).toHaveLength(1)
  expect((await find({ search: 'inv-2041', to_date: '2020-01-01' })).transactions).toEqual([])
  expect((await find({ search: 'no such text' })).pagination.total).toBe(0)
})

test('the pages of a search hold every found transaction once', async () => {
  const { network } = stage
  for (let count = 0; count < 3; count++) await network.pay(payer, payee, 1, { reference: 'paged' })
  const all = (await find({ search: 'PAGED' })).transactions
  expect(all).toHaveLength(6)
  const first = await find({ search: 'PAGED', limit: 4 })
  const second = await find({ search: 'PAGED', limit: 4, cursor: first.pagination.next_cursor ?? '' })
  expect([...first.transactions, ...second.transactions]).toEqual(all)
  expect(second.pagination).toEqual({ total: 6, limit: 4, offset: 0 })
  expect((await find({ search: 'PAGED', limit: 4, offset: 4 })).transactions).toEqual(all.slice(4))
})

test('an owner gets a QR code for UPI without naming a UPI id, for no agent but its own', async () => {
  const { api, network } = stage
  const stranger = await network.agent(await network.owner(await network.platform()))
  const made = await api.ok(routes.createUpiCollect, {
    params: { agent_id: payer.id },
    headers,
    body: { amount: 150 },
  })
  expect(made).toMatchObject({ status: 'pending', collect: false, upi_id: null, qr: made.upi_intent })
  expect(new URL(made.qr).searchParams.get('am')).toBe('150.00')
  await api.ok(routes.completeSandboxPayment, {
    params: { payment_session_id: made.payment_session_id },
    body: { outcome: 'success' },
  })
  const funding = await api.ok(routes.getFunding, {
    params: { agent_id: payer.id, funding_id: made.funding_id },
    headers,
  })
  expect(funding).toMatchObject({ status: 'completed', amount: 150, net_amount: 146.25, paid_method: 'upi' })
  await api.refused(routes.createUpiCollect, 403, 'authorization_error', {
    params: { agent_id: stranger.id },
    headers,
    body: { amount: 150 },
  })
})

test('the spending of an agent names its payees by what they received, and no other agent reads it', async () => {
  const { api, network } = stage
  const buyer = await network.fundedAgent(owner)
  await network.pay(buyer, payee, 20.05)
  await network.pay(buyer, payer, 30)
  await network.pay(buyer, payee, 20.05)
  const params = { agent_id: buyer.id }
  const spending = await api.ok(routes.getSpending, { params, headers, query: { days: 3 } })
  expect(spending).toMatchObject({
    total: 70.1,
    payments: 3,
    payees: [
      { agent_id: payee.id, agent_name: 'Übersetzer', amount: 40.1, payments: 2 },
      { agent_id: payer.id, agent_name: 'Research Agent', amount: 30, payments: 1 },
    ],
    others: { amount: 0, payments: 0 },
  })
  expect(spending.days).toHaveLength(3)
  expect(spending.days.at(-1)).toEqual({
    date: spending.to_date,
    total: 70.1,
    payees: [40.1, 30],
    others: 0,
  })
  await api.refused(routes.getSpending, 403, 'authorization_error', { params, headers: payer.headers })
})

test('payees beyond the largest six are one sum', async () => {
  const { api, network } = stage
  const buyer = await network.fundedAgent(owner)
  const payees = [payer, payee]
  while (payees.length < 8) payees.push(await network.agent(owner))
  for (const [index, to] of payees.entries()) await network.pay(buyer, to, index + 1)
  const spending = await api.ok(routes.getSpending, { params: { agent_id: buyer.id }, headers })
  expect(spending.payees.map(({ amount }) => amount)).toEqual([8, 7, 6, 5, 4, 3])
  expect(spending.others).toEqual({ amount: 3, payments: 2 })
  expect(spending.days).toHaveLength(30)
})

test.each([
  ['900000000006', 'failed', 'bank_account_refused'],
  ['900000000022', 'failed', 'bank_unavailable'],
  ['7766671735000', 'reversed', 'returned_by_bank'],
] as const)(
  'a payout to %s is %s, and its line has a reason of this service',
  async (bank_account, status, reason) => {
    const { api, network } = stage
    const other = await network.owner(await network.platform())
    const kyc = { params: { owner_id: other.id }, headers: other.platform.headers }
    await api.ok(routes.submitKyc, { ...kyc, body: { bank_account, bank_ifsc: 'HDFC0001234' } })
    const { id, headers: key } = await network.fundedAgent(other)
    const params = { agent_id: id }
    await api.ok(routes.withdraw, { params, headers: key, body: { amount: 400 } })
    for (let minute = 0; minute < 10; minute++) {
      await api.ok(routes.advanceClock, { body: { advance_seconds: 60 } })
    }
    const { transactions } = await api.ok(routes.listTransactions, {
      params,
      headers: key,
      query: { type: 'withdraw' },
    })
    expect(transactions).toMatchObject([{ status, failure_reason: reason }])
  },
)

test('a payment page that nobody pays ends as expired, and its line says so', async () => {
  const { api, network } = stage
  const agent = await network.agent(owner)
  const params = { agent_id: agent.id }
  await api.ok(routes.createFunding, { params, headers: agent.headers, body: { amount: 100 } })
  await api.ok(routes.advanceClock, { body: { advance_seconds: 3_600 } })
  await api.ok(routes.advanceClock, { body: { advance_seconds: 3_600 } })
  const { transactions } = await api.ok(routes.listTransactions, { params, headers: agent.headers })
  expect(transactions).toMatchObject([{ type: 'fund', status: 'failed', failure_reason: 'expired' }])
})
