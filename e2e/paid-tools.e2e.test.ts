import { routes } from '@batua/contract'
import { createClient, memoryJournal, PurchaseError } from '@batua/sdk'
import {
  type PaidTool,
  type PayingToolsOptions,
  paidTool,
  payingTools,
  paymentFor,
  paymentOf,
  type ToolResult,
  type ToolServer,
} from '@batua/sdk/mcp'
import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer } from '@modelcontextprotocol/server'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPayingTools } from '../sdk/src/adapters/mcp-buyer.ts'
import { ERAS } from './src/mcp-client.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const SHOP = 'https://tools.example/mcp'
const PAYMENT = 'x402/payment'
const SETTLED = 'x402/payment-response'

let stage: PayingStage
let buyer: Agent
const open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  buyer = await stage.network.fundedAgent(stage.owner)
})
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()))
})

const clientOf = ({ key }: Agent, baseUrl = stage.service.address) =>
  createClient({ baseUrl, agentKey: key, maxRetries: 0 })
const seller = () => ({ client: clientOf(stage.payee), payTo: stage.payee.handle })
const city = z.object({ city: z.string() })
type City = PaidTool<typeof city, z.infer<typeof city>>
type Call = (call: {
  name: string
  arguments?: Record<string, unknown>
  _meta?: Record<string, unknown>
}) => Promise<CallToolResult>

const weather = ({ city: of }: { city: string }): ToolResult => ({
  content: [{ type: 'text', text: `31 °C in ${of}` }],
})

/** A tool that is sold, and the official client that calls it. */
async function shopOf(
  tool: Partial<City> = {},
  handler: (input: { city: string }, context: object) => ToolResult | Promise<ToolResult> = weather,
): Promise<Call> {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  paidTool(server, { name: 'weather', inputSchema: city, amount: '5.00', ...seller(), ...tool }, handler)
  return connected(server)
}

async function connected(server: McpServer): Promise<Call> {
  const client = new Client({ name: 'tests', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  open.push(client, server)
  return call => client.callTool(call)
}

const terms = (agent = buyer) => ({ url: SHOP, client: clientOf(agent), maxAmount: 10 })
const paying = (call: Call, more: Partial<PayingToolsOptions> = {}, agent = buyer): Call =>
  payingTools(call, { ...terms(agent), ...more })
const AT_ONCE = { now: Date.now, wait: async () => undefined }

const pune = { name: 'weather', arguments: { city: 'Pune' } }
const payments = async () =>
  (await stage.api.ok(routes.listPayments, { params: { agent_id: buyer.id }, headers: buyer.headers }))
    .payments
const metaOf = (result: CallToolResult) => result._meta?.[SETTLED]

async function failureOf(work: Promise<unknown>): Promise<PurchaseError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PurchaseError)) throw error ?? new Error('nothing failed')
  return error
}

/** The payment that a client would send for a price, made by hand as x402's text describes it. */
async function paymentByHand(priced: CallToolResult, payer = buyer) {
  const required = priced.structuredContent as { accepts: { extra: { nonce: string } }[]; resource: object }
  const [accepted] = required.accepts
  if (accepted === undefined) throw new Error('no way to pay')
  const { nonce } = accepted.extra
  const paid = await stage.network.pay(payer, stage.payee, 5, { reference: nonce })
  const payload = { version: 1, transactionId: paid.payment_id, fromAgent: payer.id, nonce }
  return { x402Version: 2, resource: required.resource, accepted, payload }
}

describe('a call of a paid tool', () => {
  test('without a payment gets the price, as structure and as the same text', async () => {
    const call = await shopOf({ description: 'The weather of a city' })
    const result = await call(pune)
    const { origin } = new URL(stage.service.address)
    expect(result).toEqual({
      isError: true,
      structuredContent: {
        x402Version: 2,
        error: expect.stringContaining('weather costs 5.00 INR'),
        resource: { url: 'mcp://tool/weather', description: 'The weather of a city' },
        accepts: [
          {
            ...{ scheme: 'exact', network: 'batua:inr-sandbox', amount: '500', asset: 'INR' },
            ...{ payTo: stage.payee.handle, maxTimeoutSeconds: 600 },
            extra: { nonce: expect.any(String), service: origin, paymentFlow: 'upfront' },
          },
        ],
      },
      content: [{ type: 'text', text: JSON.stringify(result.structuredContent) }],
    })
  })

  test('with a payment is handled once, and says what was taken', async () => {
    const call = await shopOf()
    const payment = await paymentByHand(await call(pune))
    const result = await call({ ...pune, _meta: { [PAYMENT]: payment } })
    expect(result).toEqual({
      content: [{ type: 'text', text: '31 °C in Pune' }],
      _meta: {
        [SETTLED]: {
          ...{ success: true, transaction: payment.payload.transactionId },
          ...{ network: 'batua:inr-sandbox', payer: buyer.id },
        },
      },
    })
    const again = await call({ ...pune, _meta: { [PAYMENT]: payment } })
    expect(again).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2, [SETTLED]: { success: false, errorReason: 'nonce_already_used' } },
    })
  })

  test.each<[string, (payment: Awaited<ReturnType<typeof paymentByHand>>) => object, string]>([
    ['no payload', () => ({ x402Version: 2 }), 'invalid_payment_header'],
    ['a payload that is a text', () => ({ payload: 'pay_1' }), 'invalid_payment_header'],
    [
      'a payload of a megabyte',
      () => ({ payload: { more: 'x'.repeat(1_000_000) } }),
      'invalid_payment_header',
    ],
    [
      'a payload longer than a header',
      ({ payload }) => ({ payload: { ...payload, more: 'x'.repeat(10_000) } }),
      'invalid_payment_header',
    ],
    [
      'a nonce of its own',
      ({ payload }) => ({ payload: { ...payload, nonce: crypto.randomUUID() } }),
      'nonce_not_ours',
    ],
    [
      'another payer',
      ({ payload }) => ({ payload: { ...payload, fromAgent: stage.payee.id } }),
      'payer_mismatch',
    ],
  ])('with %s is refused and asked for the price again', async (_what, change, errorReason) => {
    const call = await shopOf()
    const payment = change(await paymentByHand(await call(pune)))
    const refused = await call({ ...pune, _meta: { [PAYMENT]: payment } })
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { accepts: [{ amount: '500' }], [SETTLED]: { success: false, errorReason } },
    })
  })

  test('with a payment for other arguments, or for another tool, is refused', async () => {
    const call = await shopOf()
    const payment = await paymentByHand(await call(pune))
    const elsewhere = { name: 'weather', arguments: { city: 'Delhi' }, _meta: { [PAYMENT]: payment } }
    expect(await call(elsewhere)).toMatchObject({
      structuredContent: { [SETTLED]: { errorReason: 'nonce_not_ours' } },
    })
    const other = await shopOf({ amount: '1.00' })
    expect(await other({ ...pune, _meta: { [PAYMENT]: payment } })).toMatchObject({
      structuredContent: { [SETTLED]: { errorReason: 'nonce_not_ours' } },
    })
  })
})

describe.each(ERAS)('payingTools with the official client of the era %s', era => {
  test('pays within its limits, once for each call, and knows the payment', async () => {
    const server = new McpServer({ name: 'shop', version: '1.0.0' })
    let payment: unknown
    paidTool(server, { name: 'weather', inputSchema: city, amount: 5, ...seller() }, (input, context) => {
      payment = paymentFor(context)
      return weather(input)
    })
    const client = new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode: era } })
    const [near, far] = InMemoryTransport.createLinkedPair()
    await server.connect(far)
    await client.connect(near)
    open.push(client, server)
    const buy = payingTools(client.callTool.bind(client), {
      ...{ url: SHOP, client: clientOf(buyer), maxAmount: '5.00' },
    })
    const result = await buy(pune)
    expect(result.content).toEqual([{ type: 'text', text: '31 °C in Pune' }])
    const [made, ...more] = await payments()
    expect(more).toEqual([])
    expect(made).toMatchObject({ amount: 5, to: stage.payee.id })
    expect(paymentOf(result)).toMatchObject({
      status: 'completed',
      paymentId: made?.payment_id,
      amount: '5.00',
    })
    expect(payment).toMatchObject({ paymentId: made?.payment_id, from: buyer.id, amount: '5.00' })
    await buy(pune)
    expect(await payments()).toHaveLength(2)
  })
})

describe('payingTools', () => {
  test('never pays more than its maximum, another payee, or an agent of another service', async () => {
    const call = await shopOf()
    expect(await failureOf(paying(call, { maxAmount: '4.99' })(pune))).toMatchObject({
      code: 'price_too_high',
    })
    expect(await failureOf(paying(call, { payees: ['another-payee'] })(pune))).toMatchObject({
      code: 'payee_not_allowed',
    })
    expect(await failureOf(paying(call, { service: 'https://other.example' })(pune))).toMatchObject({
      code: 'invalid_challenge',
      paymentId: null,
    })
    expect(await failureOf(paying(call, { url: 'http://tools.example' })(pune))).toMatchObject({
      code: 'insecure_seller',
    })
    expect(await payments()).toEqual([])
  })

  test('returns results that it cannot pay, and free results, unchanged', async () => {
    const foreign = {
      isError: true,
      structuredContent: {
        x402Version: 2,
        accepts: [
          {
            scheme: 'exact',
            network: 'eip155:84532',
            amount: '10000',
            asset: '0x03',
            payTo: '0x20',
            extra: {},
          },
        ],
      },
      content: [],
    }
    expect(await paying(async () => foreign as CallToolResult)(pune)).toBe(foreign)
    const free = await shopOf({ amount: 0 })
    expect((await paying(free)(pune)).content).toEqual([{ type: 'text', text: '31 °C in Pune' }])
    expect(await payments()).toEqual([])
  })

  test.each([
    ['as text', (required: object) => ({ content: [{ type: 'text', text: JSON.stringify(required) }] })],
    [
      'as text in a wrapper',
      (required: object) => ({
        content: [
          {
            type: 'text',
            text: JSON.stringify({ 'x402/error': { code: 402, message: '', data: required } }),
          },
        ],
      }),
    ],
    [
      'as structure in a wrapper',
      (required: object) => ({
        content: [],
        structuredContent: { 'x402/error': { code: 402, data: required } },
      }),
    ],
  ])('understands a price %s', async (_how, written) => {
    const call = await shopOf()
    const rewriting: Call = async asked => {
      const result = await call(asked)
      return result.structuredContent === undefined
        ? result
        : ({ isError: true, ...written(result.structuredContent as object) } as CallToolResult)
    }
    expect(metaOf(await paying(rewriting)(pune))).toMatchObject({ success: true })
  })

  test('a tool that fails gives the money back, and the same call buys again', async () => {
    let fails = true
    const call = await shopOf({}, input => {
      if (!fails) return weather(input)
      return { isError: true, content: [{ type: 'text', text: 'no such city' }] }
    })
    const buy = paying(call)
    const failed = await buy(pune)
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'no such city' }] })
    expect(metaOf(failed)).toMatchObject({ success: false, errorReason: 'not_served' })
    expect(await payments()).toMatchObject([{ amount: 5, refunded_total: 5 }])
    fails = false
    expect(metaOf(await buy(pune))).toMatchObject({ success: true })
    expect((await payments()).map(({ refunded_total }) => refunded_total)).toEqual([0, 5])
  })

  test('a tool that asks for more input counts as not served', async () => {
    const call = await shopOf({}, () => ({ resultType: 'input_required', content: [] }))
    await paying(call)(pune).catch(() => undefined)
    expect(await payments()).toMatchObject([{ amount: 5, refunded_total: 5 }])
  })

  test('a price at another service after the payment ends the purchase, with the payment in the error', async () => {
    const call = await shopOf()
    const moving: Call = async asked => {
      const { _meta, ...unpaid } = asked
      const result = await call(unpaid)
      if (_meta === undefined) return result
      const elsewhere = JSON.stringify(result.structuredContent).replaceAll(
        stage.service.address,
        'https://other.example',
      )
      return { ...result, structuredContent: JSON.parse(elsewhere) }
    }
    const buy = paying(moving)
    const error = await failureOf(buy(pune))
    const [made] = await payments()
    expect(error).toMatchObject({ code: 'payment_not_accepted', paymentId: made?.payment_id })
    expect(await error.response?.json()).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2 },
    })
    // The next call is a new purchase.
    await failureOf(buy(pune))
    expect(await payments()).toHaveLength(2)
  })

  test('calls with different dates are different calls', async () => {
    const journal = memoryJournal()
    const call = await shopOf()
    const lost = new Error('the connection broke')
    const losing: Call = async asked => {
      if (asked._meta !== undefined) throw lost
      return call(asked)
    }
    const on = (day: number) => ({ name: 'weather', arguments: { city: 'Pune', on: new Date(day) } })
    await expect(createPayingTools(losing, { ...terms(), journal }, AT_ONCE)(on(1))).rejects.toBe(lost)
    await paying(call, { journal })(on(86_400_001))
    expect(await payments()).toHaveLength(2)
  })

  test('a tool that throws gives the money back too', async () => {
    const call = await shopOf({}, () => {
      throw new Error('broken')
    })
    expect(await paying(call)(pune)).toMatchObject({ isError: true })
    expect(await payments()).toMatchObject([{ amount: 5, refunded_total: 5 }])
  })

  test('a call whose result was lost is continued with the same payment, also by a new program', async () => {
    const call = await shopOf()
    const journal = memoryJournal()
    const lost = new Error('the connection broke')
    const losing: Call = async asked => {
      if (asked._meta !== undefined) throw lost
      return call(asked)
    }
    await expect(createPayingTools(losing, { ...terms(), journal }, AT_ONCE)(pune)).rejects.toBe(lost)
    expect(await payments()).toHaveLength(1)
    const result = await paying(call, { journal })(pune)
    expect(result.content).toEqual([{ type: 'text', text: '31 °C in Pune' }])
    expect(await payments()).toHaveLength(1)
  })

  test('an approval is waited for, or returned', async () => {
    const careful = await stage.network.fundedAgent(stage.owner, { require_human_approval_above: 1 })
    const call = await shopOf()
    const asked = await paying(call, { approval: 'return' }, careful)(pune)
    expect(asked).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
    expect(paymentOf(asked)).toMatchObject({ status: 'pending_approval', paymentId: null })
  })
})

test('a price may depend on the arguments, and a payment of a lower price is refused for a higher one', async () => {
  const call = await shopOf({ amount: ({ city: of }) => (of === 'Pune' ? '1.00' : '9.00') })
  await paying(call)(pune)
  await paying(call)({ name: 'weather', arguments: { city: 'Delhi' } })
  expect((await payments()).map(({ amount }) => amount)).toEqual([9, 1])
})

test('while the service is unavailable, a payment is neither accepted nor refused', async () => {
  const call = await shopOf()
  const payment = await paymentByHand(await call(pune))
  const away = await shopOf({
    client: clientOf(stage.payee, 'http://127.0.0.1:1'),
    onError: () => undefined,
  })
  expect(await away({ ...pune, _meta: { [PAYMENT]: payment } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Do not pay again') }],
    _meta: { [SETTLED]: { success: false, errorReason: 'unexpected_verify_error' } },
  })
})

test('servers and clients of version 1 of the official SDK sell and buy too', async () => {
  const server = new McpServer1({ name: 'shop', version: '1.0.0' })
  paidTool(server, { name: 'weather', inputSchema: city, amount: 5, ...seller() }, weather)
  paidTool(server, { name: 'time', amount: 1, ...seller() }, (_input, context) => ({
    content: [{ type: 'text', text: paymentFor(context)?.amount }],
  }))
  const client = new Client1({ name: 'tests', version: '1.0.0' })
  const [near, far] = InMemoryTransport1.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  open.push(client, server)
  const buy = payingTools(client.callTool.bind(client), { url: SHOP, client: clientOf(buyer), maxAmount: 5 })
  expect(await buy(pune)).toMatchObject({ content: [{ text: '31 °C in Pune' }] })
  expect(await buy({ name: 'time' })).toMatchObject({ content: [{ text: '1.00' }] })
  expect((await payments()).map(({ amount }) => amount)).toEqual([1, 5])
})

test('invalid options are errors of the program, and not of a call', () => {
  const server: ToolServer = { registerTool: () => undefined }
  const tool = { name: 'weather', amount: 5, ...seller() }
  expect(() => paidTool(server, { ...tool, amount: '5.001' }, () => ({}))).toThrow(RangeError)
  expect(() => paidTool(server, { ...tool, network: 'base' as 'batua:inr' }, () => ({}))).toThrow(TypeError)
  const options = { url: SHOP, client: clientOf(stage.payee), maxAmount: 5 }
  expect(() => payingTools(async () => ({}), { ...options, url: 'tools' })).toThrow(TypeError)
  expect(() => payingTools(async () => ({}), { ...options, maxAmount: -1 })).toThrow(RangeError)
})
