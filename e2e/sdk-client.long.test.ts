import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isEventStream, type OperationId, type Route, routes } from '@batua/contract'
import {
  type Client,
  type ClientOptions,
  createClient,
  type Download,
  items,
  logIn,
  outcome,
  pages,
  type Retry,
} from '@batua/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import { ADMIN_PHONE } from './src/log-in.ts'
import type { Agent } from './src/network.ts'
import { faultOf } from './src/responses.ts'
import { DESTRUCTIVE, kindFor, NEEDS_MORE, ownHeaders } from './src/route-table.ts'
import { openStage, type Stage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

const table = Object.entries(routes) as [OperationId, Route][]
/** Far more than an agent of any test here calls in a minute, and quickly reached. */
const CALLS_A_MINUTE = 200

let stage: Stage
let world: World
let baseUrl: string

beforeAll(async () => {
  stage = await openStage({ RATE_LIMIT_AGENT: String(CALLS_A_MINUTE) })
  baseUrl = stage.service.address
  world = await openWorld(stage.api)
})
afterAll(() => stage.close())

const clientOf = ({ key }: Agent, options: Partial<ClientOptions> = {}): Client =>
  createClient({ baseUrl, agentKey: key, ...options })

/** A client with the credentials of these headers. */
function clientWith(headers: Headers): Client {
  const [, cookie = '', token = ''] = /^(\w+)=(.+)$/.exec(headers['cookie'] ?? '') ?? []
  const session = cookie === 'service_session' ? { sessionToken: token } : { adminSessionToken: token }
  return createClient({
    baseUrl,
    ...(headers['x-agent-key'] && { agentKey: headers['x-agent-key'] }),
    ...(headers['x-platform-id'] && { platformId: headers['x-platform-id'] }),
    ...(headers['x-platform-secret'] && { platformSecret: headers['x-platform-secret'] }),
    ...(token && session),
  })
}

/** A valid call as one input. */
function inputOf(operation: OperationId): object {
  const { params, query, body } = VALID_CALLS[operation](world)
  return { ...params, ...query, ...(operation === 'receiveGatewayWebhook' ? { body } : Object(body)) }
}

type Method = (input: object) => Promise<unknown>
const methodOf = (client: Client, operation: OperationId) =>
  client[operation as keyof Client] as unknown as Method

/** These would end what other tests need, or need a browser, so only their existence is tested. */
const ending: readonly OperationId[] = [...DESTRUCTIVE, ...NEEDS_MORE, 'logOutAdmin']
const unrepeatable = table.filter(([operation]) => ending.includes(operation))
const harmless = table.filter(row => !isEventStream(row[1]) && !unrepeatable.includes(row))

describe('every route is a method of the client', () => {
  test.each(harmless)('%s, whose response is valid by the contract', async (operation, route) => {
    const kind = kindFor(route, 'platform')
    const client = clientWith(kind === null ? {} : ownHeaders(world, operation, kind))
    const response = await methodOf(client, operation)(inputOf(operation))
    const body = route.produces === undefined ? response : await (response as Download<unknown>).json()
    expect(faultOf(route, body)).toBeNull()
  })

  const guarded = unrepeatable.filter(([, route]) => kindFor(route, 'platform') !== null)
  test.each(guarded)('%s, which refuses a caller without a credential', async operation => {
    const call = methodOf(createClient({ baseUrl }), operation)(inputOf(operation))
    await expect(call).rejects.toMatchObject({ code: 'authentication_error', status: 401 })
  })

  test('and the client has no other methods', () => {
    const { baseUrl: _address, ...methods } = createClient({ baseUrl })
    const called = table.filter(([, route]) => !isEventStream(route))
    expect(Object.keys(methods)).toEqual(called.map(([operation]) => operation))
  })
})

describe('an error', () => {
  /** The error of a refused payment of this agent. */
  async function refusal(from: Agent, more: object = {}, client = clientOf(from)) {
    const paid = await outcome(client.pay({ agent_id: from.id, to: world.payee.handle, amount: 10, ...more }))
    if (paid.ok) throw new Error('the payment was made')
    expect(paid.error.requestId).toMatch(/^\w+/)
    return paid.error
  }
  const fundedAgent = (policy: object = {}) => world.network.fundedAgent(world.owner, policy)

  test('of a limit names it and the largest amount allowed now', async () => {
    const error = await refusal(await fundedAgent({ spend_limit_per_tx: 5 }))
    if (error.code !== 'spend_limit_exceeded') throw error
    const { rule, layer, limit, used, remaining, max_amount_now } = error.details
    expect([rule, layer, limit, used, remaining, max_amount_now]).toEqual([
      'spend_limit_per_tx',
      'agent',
      ...[5, 0, 5, 5],
    ])
    expect(error).toMatchObject({ status: 403, field: 'amount' })
  })

  test('of an escrow threshold contains the threshold', async () => {
    const error = await refusal(await fundedAgent({ require_escrow_above: 7 }))
    if (error.code !== 'escrow_required') throw error
    expect([error.details.escrow_above, error.details.max_amount_now]).toEqual([7, 7])
  })

  test('of an empty wallet contains the amount needed', async () => {
    const error = await refusal(await world.network.agent(world.owner))
    if (error.code !== 'insufficient_balance') throw error
    expect(error.details).toEqual({ balance: 0, required: 11, amount: 10, fee: 1 })
  })

  test('of a paused agent contains its state', async () => {
    const agent = await fundedAgent()
    await clientWith(world.platform.headers).pauseAgent({ agent_id: agent.id })
    const error = await refusal(agent)
    if (error.code !== 'policy_denied') throw error
    expect(error.details.status).toBe('paused')
  })

  test('of a repeated payment names the payment and says that it is the same', async () => {
    const agent = await fundedAgent()
    const once = { idempotency_key: 'one', reference: 'invoice', unique_reference: true }
    const paid = await clientOf(agent).pay({ agent_id: agent.id, to: world.payee.id, amount: 10, ...once })
    const byKey = await refusal(agent, once)
    if (byKey.code !== 'idempotency_error') throw byKey
    expect(byKey.details).toEqual({ payment_id: paid.payment_id, status: 'completed', same_request: true })
    const byReference = await refusal(agent, { ...once, idempotency_key: 'two' })
    if (byReference.code !== 'conflict') throw byReference
    expect(byReference.details.payment_id).toBe(paid.payment_id)
  })

  test('of an unreachable service is a network error', async () => {
    const away = createClient({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
    expect(await outcome(away.getHealth())).toMatchObject({ error: { code: 'network_error', status: null } })
  })
})

/** A proxy of the service that cuts off the first response, at its start or in its middle. */
async function openLosingProxy(breaks: 'before the response' | 'in the response') {
  let count = 0
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await new Response(request).text()
    const { method = 'GET', url, headers } = request
    const reply = await fetch(baseUrl + url, { method, headers: ownHeadersOf(headers), body })
    const text = await reply.text()
    if (count++ > 0) response.writeHead(reply.status).end(text)
    else if (breaks === 'before the response') request.socket.destroy()
    else {
      response.writeHead(reply.status, { 'content-length': text.length })
      response.write(text.slice(0, -1), () => request.socket.destroy())
    }
  }
  const server = createServer((request, response) => void pass(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise(resolve => server.close(resolve).closeAllConnections()),
  }
}

function ownHeadersOf(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const passed = ['x-agent-key', 'idempotency-key', 'content-type'].filter(
    name => headers[name] !== undefined,
  )
  return Object.fromEntries(passed.map(name => [name, String(headers[name])]))
}

describe('a call', () => {
  test.each(['before the response', 'in the response'] as const)(
    'whose response is lost is repeated and pays once, aborted %s',
    async breaks => {
      const agent = await world.network.fundedAgent(world.owner)
      const line = await openLosingProxy(breaks)
      const retries: Retry[] = []
      const client = clientOf(agent, { baseUrl: line.address, onRetry: retry => retries.push(retry) })
      const paid = await client.pay({ agent_id: agent.id, to: world.payee.handle, amount: 100 })
      await line.close()
      expect(retries.map(({ code }) => code)).toEqual(['network_error'])
      const { payments } = await clientOf(agent).listPayments({ agent_id: agent.id })
      expect(payments.map(({ payment_id }) => payment_id)).toEqual([paid.payment_id])
      expect((await clientOf(agent).getBalance({ agent_id: agent.id })).available).toBe(975 - 101)
    },
  )

  test('beyond the rate limit waits as long as the service says, and an abort ends the wait', async () => {
    const agent = await world.network.agent(world.owner)
    const hasty = clientOf(agent, { maxRetries: 0 })
    const calls = await Promise.all(
      Array.from({ length: CALLS_A_MINUTE + 1 }, () => outcome(hasty.getCurrentAgent())),
    )
    const [refused, ...others] = calls.filter(call => !call.ok).map(({ error }) => error)
    expect(others).toEqual([])
    expect(refused).toMatchObject({ code: 'rate_limit_exceeded', status: 429 })
    const asked = refused?.retryAfterMs ?? 0
    expect(asked).toBeGreaterThan(1_000)
    const abort = new AbortController()
    const waits: number[] = []
    const patient = clientOf(agent, {
      onRetry: ({ delayMs }) => {
        waits.push(delayMs)
        abort.abort(new Error('enough'))
      },
    })
    await expect(patient.getCurrentAgent({}, { signal: abort.signal })).rejects.toThrow('enough')
    expect(waits.length).toBe(1)
    // A second may have passed since.
    expect(waits[0]).toBeGreaterThanOrEqual(asked - 2_000)
  })
})

test('all pages of a growing list are read without a gap or a repetition', async () => {
  const agent = await world.network.fundedAgent(world.owner)
  const client = clientOf(agent)
  const pay = () => client.pay({ agent_id: agent.id, to: world.payee.id, amount: 1 })
  const made = await Promise.all(Array.from({ length: 105 }, pay))
  const found: (string | null)[] = []
  for await (const { payment_id } of items(client.listPayments, { agent_id: agent.id })) {
    if (found.push(payment_id) === 50) await pay()
  }
  expect(found.toSorted()).toEqual(made.map(({ payment_id }) => payment_id).toSorted())
  const sizes: number[] = []
  for await (const { payments } of pages(client.listPayments, { agent_id: agent.id, limit: 60 }))
    sizes.push(payments.length)
  expect(sizes).toEqual([60, 46])
})

test('an owner logs in by a code on the phone, uses the session and ends it', async () => {
  const { network, platform } = world
  const { id: owner_id, phone } = await network.owner(platform)
  const visitor = createClient({ baseUrl })
  await visitor.sendOtp({ phone })
  const owner = await logIn(visitor, await codeOf(visitor, phone))
  expect((await owner.getSession()).owners.map(each => each.owner_id)).toEqual([owner_id])
  const { policy } = await owner.updateOwnerPolicy({ owner_id, spend_limit_daily: 70 })
  expect(policy.spend_limit_daily).toBe(70)
  await owner.logOut()
  expect(await outcome(owner.getSession())).toMatchObject({ error: { code: 'authentication_error' } })
})

test('a wrong code opens no session', async () => {
  const visitor = createClient({ baseUrl })
  const wrong = logIn(visitor, { phone: ADMIN_PHONE, code: '000000' }, 'admin')
  await expect(wrong).rejects.toMatchObject({ code: 'authentication_error' })
})

async function codeOf(visitor: Client, phone: string): Promise<{ phone: string; code: string }> {
  const { code } = await visitor.getSandboxOtp({ phone })
  return { phone, code }
}
