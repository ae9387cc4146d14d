import { type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

const APPROVAL_LIFE_S = 86_400

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  const platform = await network.platform()
  owner = await network.owner(platform)
  session = await network.login(owner)
  payer = await network.fundedAgent(owner, { name: 'Shopper', require_human_approval_above: 100 })
  payee = await network.agent(await network.owner(platform), { name: 'Seller' })
})

type Waiting = ResponseOf<typeof routes.pay> & { readonly approval_id: string }

async function ask(amount = 200, extras: Parameters<Network['pay']>[3] = {}): Promise<Waiting> {
  const { approval_id, ...payment } = await network.pay(payer, payee, amount, extras)
  if (approval_id === undefined) throw new Error('the payment does not wait')
  return { ...payment, approval_id }
}

const approve = (approval_id: string) => api.ok(routes.approve, { params: { approval_id }, headers: session })
const reject = (approval_id: string) => api.ok(routes.reject, { params: { approval_id }, headers: session })
const see = (approval_id: string, headers: Headers) =>
  api.ok(routes.getApproval, { params: { approval_id }, headers })

async function waitingIds(headers = session): Promise<string[]> {
  const { approvals } = await api.ok(routes.listApprovals, { headers })
  return approvals.map(({ approval_id }) => approval_id)
}

describe('a payment above the approval threshold', () => {
  test('waits for the owner, who sees and approves it, and only then moves the money', async () => {
    const waiting = await ask(200, { reference: 'invoice-1', note: 'Shoes', idempotency_key: 'shoes' })
    expect(waiting).toMatchObject({
      payment_id: null,
      status: 'pending_approval',
      from_balance: 975,
      cost: 1,
    })
    expect(waiting).not.toHaveProperty('receipt_id')
    const { approvals } = await api.ok(routes.listApprovals, { headers: session })
    expect(approvals).toMatchObject([
      {
        ...{ approval_id: waiting.approval_id, agent_id: payer.id, agent_name: 'Shopper', kind: 'payment' },
        ...{ to: payee.id, to_name: 'Seller', amount: 200, fee: 1, reference: 'invoice-1', note: 'Shoes' },
        ...{ rule: 'require_human_approval_above', status: 'pending_approval', decided_at: null },
      },
    ])
    const { payment, ...approval } = await approve(waiting.approval_id)
    expect(approval).toMatchObject({ status: 'approved', payment_id: payment?.payment_id })
    expect(payment).toMatchObject({ status: 'completed', from_balance: 774, cost: 1 })
    expect([(await network.balance(payer)).available, (await network.balance(payee)).available]).toEqual([
      774, 200,
    ])
    for (const headers of [payer.headers, owner.platform.headers, session]) {
      expect(await see(waiting.approval_id, headers)).toEqual(approval)
    }
    expect(await waitingIds()).toEqual([])
  })

  test('is found by receipts, statements and look-ups once it is approved, and not before', async () => {
    const { approval_id } = await ask(200, { reference: 'r', idempotency_key: 'k' })
    const params = { agent_id: payer.id }
    const { headers } = payer
    const statement = () => api.ok(routes.listTransactions, { params, headers, query: { type: 'pay_out' } })
    const lookUp = () => api.ok(routes.listPayments, { params, headers, query: { idempotency_key: 'k' } })
    expect((await statement()).transactions).toEqual([])
    expect((await lookUp()).payments).toMatchObject([
      { payment_id: null, status: 'pending_approval', approval_id, from_balance: 975, reference: 'r' },
    ])
    const { payment } = await approve(approval_id)
    expect((await statement()).transactions).toMatchObject([{ payment_id: payment?.payment_id }])
    expect((await lookUp()).payments).toMatchObject([{ payment_id: payment?.payment_id }])
    const receipt_id = payment?.receipt_id ?? ''
    const { valid, receipt } = await api.ok(routes.verifyReceipt, { params: { receipt_id }, headers })
    expect([valid, receipt?.amount, receipt?.reference]).toEqual([true, 200, 'r'])
  })

  test('uses its idempotency key until it is rejected', async () => {
    const first = await ask(200, { idempotency_key: 'k' })
    for (const amount of [200, 1]) {
      const error = await network.refusedPayment(payer, payee, [409, 'idempotency_error'], {
        ...{ amount, idempotency_key: 'k' },
      })
      expect(error.details).toEqual({
        ...{ payment_id: null, status: 'pending_approval', approval_id: first.approval_id },
        same_request: amount === 200,
      })
    }
    expect(await reject(first.approval_id)).toMatchObject({ status: 'rejected', payment_id: null })
    await network.pay(payer, payee, 1, { idempotency_key: 'k' })
  })

  test('expires after 24 hours without moving money', async () => {
    const { approval_id } = await ask(200, { idempotency_key: 'k' })
    await api.ok(routes.advanceClock, { body: { advance_seconds: APPROVAL_LIFE_S } })
    const again = await network.login(owner)
    const call = { params: { approval_id }, headers: again }
    const error = await api.refused(routes.approve, 409, 'conflict', call)
    expect(error.details).toMatchObject({ status: 'expired' })
    const record = await see(approval_id, payer.headers)
    expect([record.status, record.decided_at]).toEqual(['expired', record.expires_at])
    expect(await waitingIds(again)).toEqual([])
    await network.pay(payer, payee, 1, { idempotency_key: 'k' })
    expect((await network.balance(payer)).available).toBe(973)
  })
})

describe('an approval', () => {
  test('is not visible to another owner, who cannot decide it either', async () => {
    const { approval_id } = await ask()
    const stranger = await network.login(payee.owner)
    expect(await waitingIds(stranger)).toEqual([])
    const call = { params: { approval_id }, headers: stranger }
    for (const route of [routes.getApproval, routes.approve, routes.reject]) {
      await api.refused(route, 404, 'not_found', call)
    }
    await api.refused(routes.getApproval, 404, 'not_found', { ...call, headers: payee.headers })
    expect(await waitingIds()).toEqual([approval_id])
  })

  test('cannot be given by a page of another site', async () => {
    const { approval_id } = await ask()
    const headers = { ...session, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    await api.refused(routes.approve, 403, 'authorization_error', { params: { approval_id }, headers })
  })

  test('checks the payment again: if it would be refused now, the approval is refused and still waits', async () => {
    const [first, second] = [await ask(480), await ask(480)]
    await approve(first.approval_id)
    await network.pay(payer, payee, 90)
    const params = { approval_id: second.approval_id }
    await api.refused(routes.approve, 402, 'insufficient_balance', { params, headers: session })
    expect(await waitingIds()).toEqual([second.approval_id])
    await network.fund(payer, 200)
    expect(await approve(second.approval_id)).toMatchObject({ status: 'approved' })
  })

  test('has one outcome if it is approved and rejected at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { approval_id } = await ask(101)
      const before = (await network.balance(payee)).available
      const call = { params: { approval_id }, headers: session }
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          api.send(at % 2 === round % 2 ? routes.approve : routes.reject, call),
        ),
      )
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)])
      const { status } = await see(approval_id, session)
      expect((await network.balance(payee)).available - before).toBe(status === 'approved' ? 101 : 0)
    }
  })
})

describe('an evaluation', () => {
  const evaluate = (to: string, amount: number, headers: Headers) =>
    api.ok(routes.evaluatePolicy, { params: { agent_id: payer.id }, headers, body: { to, amount } })

  test('returns each of the four decisions to agent, platform and owner, and moves no money', async () => {
    for (const headers of [payer.headers, owner.platform.headers, session]) {
      const decision = async (to: string, amount: number) => (await evaluate(to, amount, headers)).decision
      expect(await decision(payee.handle, 100)).toBe('approved')
      expect(await decision(payee.id, 100.01)).toBe('approval_required')
      expect(await decision(payee.id, 500.01)).toBe('escrow_required')
      expect(await decision(payer.id, 1)).toBe('denied')
    }
    expect(await evaluate('nobody-of-this-name', 10, session)).toMatchObject({
      ...{ decision: 'denied', code: 'not_found', amount: 10, fee: 1, total: 11 },
    })
    expect((await network.balance(payer)).available).toBe(975)
    expect(await waitingIds()).toEqual([])
  })

  test('of another platform’s agent is refused', async () => {
    const call = { params: { agent_id: payer.id }, body: { to: payee.id, amount: 1 } }
    for (const headers of [payee.headers, await network.login(payee.owner)]) {
      await api.refused(routes.evaluatePolicy, 403, 'authorization_error', { ...call, headers })
    }
  })
})
