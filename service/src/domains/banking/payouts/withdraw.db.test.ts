import { withdraw } from '@batua/contract'
import { afterAll, afterEach, expect } from 'vitest'
import { responseCheck } from '../../../http/body/validate.ts'
import type { PlatformCaller } from '../../../http/caller.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { service } from '../../../operations/facts.ts'
import { balanceOf, changeAgent, expectBalanced, fund, outcomesOf } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import {
  openPayoutNetwork,
  openPayoutNode,
  type PayoutNetwork,
  type PayoutNode,
  verify,
} from '../../../testing/paying-out.ts'
import { scriptedPayouts } from '../../../testing/scripted-payouts.ts'
import { call, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { servePayouts } from './routes.ts'
import { withdrawCommand } from './withdraw.ts'

/** A Friday, a quarter to four in India. */
const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
const provider = scriptedPayouts()
const actor = service('test')

let node: PayoutNode
let other: PayoutNode
let people: PayoutNetwork
let server: TestServer

test.beforeAll(async () => {
  node = openPayoutNode(db, provider, clock)
  other = openPayoutNode(db, provider, clock)
  people = await openPayoutNetwork(db, clock)
  const platform: PlatformCaller = { kind: 'platform', platformId: people.platformId }
  server = await startTestServer(({ serve }) => servePayouts(serve, node), {
    database,
    authenticators: { agent: () => null, platform: () => platform },
  })
})
afterEach(async () => {
  await expectBalanced(database)
  expect([...node.faults, ...other.faults]).toEqual([])
})
afterAll(async () => {
  await server.close()
  await node.close()
  await other.close()
})

interface Reply {
  readonly status: number
  readonly body: Record<string, unknown> & { readonly error?: { readonly code: string } }
}

async function ask(agentId: Uuid, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const credential = { 'x-platform-id': 'p', 'x-platform-secret': 's' }
  const path = `/v1/agents/${formatId('agt', agentId)}/withdraw`
  const reply = await call(server, 'POST', path, { body, headers: { ...credential, ...headers } })
  return { status: reply.status, body: reply.body as Reply['body'] }
}

async function funded(amount: bigint): Promise<Uuid> {
  const agentId = await people.agent()
  await fund(node.ledger, agentId, amount)
  return agentId
}

const payoutsOf = (agentId: Uuid) =>
  database.query<{ amount: bigint; status: string; kind: string; next: Date | null }>(
    `select amount_paise as amount, status, kind, next_check_at as next from payouts where agent_id = $1 order by id`,
    [agentId],
  )

test('a withdrawal is debited at once and waits to be sent', async () => {
  const agentId = await funded(97_500n)
  const { status, body } = await ask(agentId, { amount: 400 })
  expect(status).toBe(200)
  responseCheck(withdraw)(body)
  expect(body).toMatchObject({
    agent_id: formatId('agt', agentId),
    amount: 400,
    status: 'pending',
    bank_account_last4: '7890',
    estimated_arrival: '2026-11-24T12:30:00.000Z',
  })
  expect(await balanceOf(database, agentId)).toBe(57_500n)
  expect(await payoutsOf(agentId)).toEqual([
    { amount: 40_000n, status: 'pending', kind: 'withdraw', next: clock.now() },
  ])
})

test('an empty body withdraws the whole balance, to the paisa', async () => {
  const agentId = await funded(97_501n)
  expect((await ask(agentId, {})).body).toMatchObject({ amount: 975.01 })
  expect(await balanceOf(database, agentId)).toBe(0n)
})

test.each([
  [{ amount: 975.01 }, 402, 'insufficient_balance'],
  [{ amount: 0 }, 400, 'validation_error'],
  [{ amount: 10.001 }, 400, 'validation_error'],
  [{ amount: -1 }, 400, 'validation_error'],
  [{ amount: '10' }, 400, 'validation_error'],
  [{ amount: 10, to: 'me' }, 400, 'validation_error'],
])('%j of 975 INR is %i %s and moves nothing', async (body, status, code) => {
  const agentId = await funded(97_500n)
  expect(await ask(agentId, body)).toMatchObject({ status, body: { error: { code } } })
  expect(await balanceOf(database, agentId)).toBe(97_500n)
  expect(await payoutsOf(agentId)).toEqual([])
})

test('the last rupee can be withdrawn, and so can the last paisa', async () => {
  const agentId = await funded(99n)
  expect(await ask(agentId, { amount: 0.98 })).toMatchObject({ status: 200, body: { amount: 0.98 } })
  expect(await ask(agentId, {})).toMatchObject({ status: 200, body: { amount: 0.01 } })
  expect(await balanceOf(database, agentId)).toBe(0n)
})

test('a withdrawal from an empty wallet is insufficient_balance', async () => {
  expect(await ask(await people.agent(), {})).toMatchObject({
    status: 402,
    body: {
      error: {
        code: 'insufficient_balance',
        message: 'The balance is 0.00 INR: there is nothing to withdraw',
        details: { balance: 0, required: 0.01, fee: 0 },
      },
    },
  })
})

test('an owner without a verified account gets kyc_required, and the whole balance after verification', async () => {
  const ownerId = await people.owner(false)
  const agentId = await people.agentOf(ownerId)
  await fund(node.ledger, agentId, 10_000n)
  expect(await ask(agentId, {})).toMatchObject({ status: 403, body: { error: { code: 'kyc_required' } } })
  await verify(people.network, ownerId, '900000000005')
  expect(await ask(agentId, {})).toMatchObject({
    status: 200,
    body: { amount: 100, bank_account_last4: '0005' },
  })
})

test.each([
  ['frozen', 403],
  ['quarantined', 403],
  ['paused', 200],
  ['deactivated', 200],
] as const)('a withdrawal of a %s agent gets %i', async (state, status) => {
  const agentId = await funded(10_000n)
  await changeAgent(database, agentId, { status: state })
  const response = await ask(agentId, {})
  expect(response.status).toBe(status)
  if (status === 403)
    expect(response.body.error).toMatchObject({ code: 'policy_denied', message: `Agent is ${state}` })
})

test('two nodes that withdraw the whole balance at the same time withdraw it once', async () => {
  const agentId = await funded(10_000n)
  const order = { agentId, amountPaise: null, requestKey: null, idempotencyKey: null, actor }
  const all = Array.from({ length: 10 }, (_, index) => {
    const context = index % 2 === 0 ? node : other
    return context.ledger.submit(withdrawCommand(context, order))
  })
  const { done, refused } = await outcomesOf(all)
  expect(done).toHaveLength(1)
  expect(new Set(refused.map(error => error.code))).toEqual(new Set(['insufficient_balance']))
})

/** A platform's Idempotency-Key. */
const keyed = (key: string) => ({ requestKey: `platform:x ${key}`, idempotencyKey: `platform\n${key}` })

test('a request that is repeated after a crash is the same payout, another request with its key is refused', async () => {
  const agentId = await funded(10_000n)
  const order = {
    agentId,
    amountPaise: paise(1_000n),
    ...keyed(newUuid(clock.now())),
    actor,
  }
  const first = await node.ledger.submit(withdrawCommand(node, order))
  const again = await Promise.all([
    node.ledger.submit(withdrawCommand(node, order)),
    other.ledger.submit(withdrawCommand(other, order)),
  ])
  expect(again.map(({ id }) => id)).toEqual([first.id, first.id])
  const another = { ...order, amountPaise: paise(2_000n) }
  await expect(node.ledger.submit(withdrawCommand(node, another))).rejects.toMatchObject({
    code: 'idempotency_error',
  })
  expect(await balanceOf(database, agentId)).toBe(9_000n)
})

test('a key that is older than a day does not return an old payout to a new request', async () => {
  const agentId = await funded(10_000n)
  const order = { agentId, amountPaise: paise(1_000n), ...keyed('every month'), actor }
  const first = await node.ledger.submit(withdrawCommand(node, order))
  clock.advance(DAY_MS - 1)
  expect((await other.ledger.submit(withdrawCommand(other, order))).id).toBe(first.id)
  clock.advance(1)
  await expect(node.ledger.submit(withdrawCommand(node, order))).rejects.toMatchObject({
    code: 'idempotency_error',
    details: { transaction_id: formatId('txn', first.id), status: 'pending' },
  })
  expect(await balanceOf(database, agentId)).toBe(9_000n)
})

test('two requests of one batch with one key are one payout', async () => {
  const agentId = await funded(10_000n)
  const key = { 'idempotency-key': newUuid(clock.now()) }
  const order = { agentId, amountPaise: paise(1_000n), ...keyed('same batch'), actor }
  const both = await Promise.all([1, 2].map(() => node.ledger.submit(withdrawCommand(node, order))))
  expect(both[0]?.id).toBe(both[1]?.id)
  const first = await ask(agentId, { amount: 10 }, key)
  expect((await ask(agentId, { amount: 10 }, key)).body).toEqual(first.body)
  expect(await balanceOf(database, agentId)).toBe(8_000n)
})
