import { createServer } from 'node:http'
import { REFUSAL_CODES } from '@batua/mcp'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildCli } from './src/cli.ts'
import { connectMcp, connectStdio, type McpClient } from './src/mcp-client.ts'
import { HOSTILE_TEXTS, hostileArguments, placesOf } from './src/mcp-hostile.ts'
import { rawHttp, rawStdio } from './src/mcp-raw.ts'
import type { Agent } from './src/network.ts'
import { openShop, type Shop } from './src/pay-per-call-shop.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

type Input = Readonly<Record<string, unknown>>

/** A call and what its result has. */
interface Case {
  readonly input: Input
  readonly result: Input
}

/** What the calls name. */
interface Facts {
  /** The agent that calls. */
  readonly agent: Agent
  /** A payment that the agent received, one that it made, and one of its own that waits. */
  readonly received: string
  readonly paid: string
  readonly waiting: string
  readonly waitingKey: string
  readonly url: (price: number) => string
}

interface Row {
  readonly good: (facts: Facts) => Case
  readonly refused: (facts: Facts) => Case
  /** null: the owner’s approval can be no outcome of it. */
  readonly waiting: ((facts: Facts) => Case) | null
}

let stage: PayingStage
let shop: Shop
/** A page that does not respond, and what calls of it return: after half a minute, in which the other tests run. */
let silent: Shop
let noResponse: ReturnType<typeof askSilently>
let other: Agent
/** Ids of another agent, its payment, its approval and its receipt. */
let otherIds: readonly string[]
const clients: Pick<McpClient, 'close'>[] = []

/** Above the first an owner must approve; above the second nothing is paid. */
const POLICY = { require_human_approval_above: 100, spend_limit_per_tx: 200 }
const WAITS = { isError: false, status: 'pending_approval', next_tool: 'get_approval' }
const INVALID = { isError: true, code: 'validation_error' }
const ABOVE = { isError: true, code: 'spend_limit_exceeded', layer: 'agent', limit: 200, max_amount_now: 200 }
let keys = 0
const key = () => ({ idempotency_key: `key ${++keys}` })
const to = () => stage.payee.handle

const ROWS: Readonly<Record<string, Row>> = {
  get_wallet: {
    good: ({ agent }) => ({ input: {}, result: { status: 'active', handle: agent.handle } }),
    refused: () => ({ input: { agent_id: other.id }, result: { ...INVALID, field: 'agent_id' } }),
    waiting: null,
  },
  check_payment: {
    good: () => ({ input: { to: to(), amount: 5 }, result: { decision: 'approved', next_tool: 'pay' } }),
    refused: () => ({
      input: { to: to(), amount: 201 },
      result: { isError: false, decision: 'denied', code: 'spend_limit_exceeded', next_tool: 'get_wallet' },
    }),
    waiting: () => ({
      input: { to: to(), amount: 150 },
      result: { isError: false, decision: 'approval_required', next_tool: 'pay' },
    }),
  },
  pay: {
    good: () => ({
      input: { to: to(), amount: 1, ...key() },
      result: { status: 'completed', next_tool: null },
    }),
    refused: () => ({ input: { to: to(), amount: 201, ...key() }, result: ABOVE }),
    waiting: () => ({ input: { to: to(), amount: 150, ...key() }, result: WAITS }),
  },
  get_payment: {
    good: ({ paid }) => ({ input: { payment_id: paid }, result: { status: 'completed', amount: 2 } }),
    refused: () => ({
      input: { idempotency_key: 'never used' },
      result: { isError: true, code: 'not_found', next_tool: 'list_transactions' },
    }),
    waiting: ({ waitingKey }) => ({ input: { idempotency_key: waitingKey }, result: WAITS }),
  },
  list_transactions: {
    good: () => ({
      input: { limit: 1 },
      result: { transactions: [{ type: 'pay_out', amount: 2 }], next_tool: null },
    }),
    refused: () => ({ input: { limit: 0 }, result: { ...INVALID, field: 'limit' } }),
    waiting: null,
  },
  quote_paid_url: {
    good: ({ url }) => ({
      input: { url: url(1) },
      result: { amount: 1, decision: 'approved', next_tool: 'fetch_paid_url' },
    }),
    refused: () => ({
      input: { url: 'http://169.254.169.254/' },
      result: { isError: true, code: 'url_refused' },
    }),
    waiting: ({ url }) => ({
      input: { url: url(150) },
      result: { decision: 'approval_required', next_tool: 'fetch_paid_url' },
    }),
  },
  fetch_paid_url: {
    good: ({ url }) => ({
      input: { url: url(1), max_amount: 1, ...key() },
      result: { status: 200, body: 'sunny', payment_status: 'completed' },
    }),
    refused: ({ url }) => ({ input: { url: url(201), max_amount: 300, ...key() }, result: ABOVE }),
    waiting: ({ url }) => ({
      input: { url: url(150), max_amount: 150, ...key() },
      result: { isError: false, payment_status: 'pending_approval', body: null, next_tool: 'get_approval' },
    }),
  },
  request_approval: {
    good: () => ({ input: { to: to(), amount: 3, ...key() }, result: WAITS }),
    refused: () => ({ input: { to: to(), amount: 201, ...key() }, result: ABOVE }),
    waiting: () => ({ input: { to: to(), amount: 150, ...key() }, result: WAITS }),
  },
  get_approval: {
    good: ({ waiting }) => ({ input: { approval_id: waiting }, result: { ...WAITS, amount: 120 } }),
    refused: () => ({
      input: { approval_id: otherIds[2] },
      result: { isError: true, code: 'not_found', next_tool: null },
    }),
    waiting: ({ waiting }) => ({ input: { approval_id: waiting }, result: WAITS }),
  },
  hold_escrow: {
    good: () => ({ input: { amount: 1, ...key() }, result: { status: 'held', next_tool: null } }),
    refused: () => ({ input: { amount: 201, ...key() }, result: ABOVE }),
    waiting: () => ({ input: { amount: 150, ...key() }, result: WAITS }),
  },
  open_authorization: {
    good: () => ({ input: { to: to(), amount: 1, ...key() }, result: { status: 'open', next_tool: null } }),
    refused: () => ({ input: { to: to(), amount: 201, ...key() }, result: ABOVE }),
    waiting: () => ({ input: { to: to(), amount: 150, ...key() }, result: WAITS }),
  },
  refund: {
    good: ({ received }) => ({
      input: { payment_id: received, amount: 1, ...key() },
      result: { amount: 1, next_tool: null },
    }),
    refused: () => ({
      input: { payment_id: otherIds[1], amount: 1, ...key() },
      result: { isError: true, code: 'not_found', next_tool: 'list_transactions' },
    }),
    waiting: null,
  },
  verify_receipt: {
    good: ({ paid }) => ({ input: { receipt_id: paid }, result: { valid: true, reason: 'ok' } }),
    refused: () => ({ input: { receipt_id: 'rcp_none' }, result: { isError: false, valid: false } }),
    waiting: null,
  },
}

/** The transports, and over HTTP both eras of the protocol. */
const WAYS = {
  'HTTP in the era of 2025': (address: string, key: string) => connectMcp(address, key, 'legacy'),
  HTTP: connectMcp,
  stdio: connectStdio,
}

/** The same, for arguments that the official client would not send. */
const RAW = { HTTP: rawHttp, stdio: rawStdio }

beforeAll(async () => {
  await buildCli()
  stage = await openPayingStage()
  const { network, payee, service } = stage
  const client = createClient({ baseUrl: service.address, agentKey: payee.key })
  const amount = ({ url = '' }: { readonly url?: string | undefined }) => Number(url.slice(1))
  const page = requirePayment({ client, payTo: payee.handle, amount }, (_request, response) =>
    response.setHeader('content-type', 'text/plain').end('sunny'),
  )
  shop = await openShop(createServer(page))
  other = await network.fundedAgent(await network.owner(stage.platform))
  const made = await network.pay(other, payee, 5)
  const asked = await network.pay(other, payee, 5, { require_approval: true })
  otherIds = [other.id, made.payment_id ?? '', asked.approval_id ?? '', made.receipt_id ?? '']
  silent = await openShop(createServer(() => undefined))
  noResponse = askSilently()
})
afterAll(async () => {
  await Promise.all(clients.map(client => client.close()))
  await Promise.all([shop?.close(), silent?.close()])
  await stage?.close()
})

async function open(
  way: keyof typeof WAYS = 'HTTP',
): Promise<{ readonly mcp: McpClient; readonly facts: Facts }> {
  const { network, owner, payee, service } = stage
  const agent = await network.fundedAgent(owner, POLICY)
  const received = await network.pay(other, agent, 5)
  const paid = await network.pay(agent, payee, 2)
  const waitingKey = 'waits'
  const waiting = await network.pay(agent, payee, 120, { idempotency_key: waitingKey })
  const mcp = await WAYS[way](service.address, agent.key)
  clients.push(mcp)
  const facts = {
    ...{ agent, waitingKey, url: (price: number) => `${shop.address}/${price}` },
    ...{
      received: received.payment_id ?? '',
      paid: paid.payment_id ?? '',
      waiting: waiting.approval_id ?? '',
    },
  }
  return { mcp, facts }
}

test('the table has a row for every tool', async () => {
  const { mcp } = await open()
  const { tools } = await mcp.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(ROWS))
})

describe.each(Object.entries(ROWS))('%s', (tool, row) => {
  test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    'has results that fit its schema over %s: good, refused, and waiting for the owner where that can be',
    async way => {
      const { mcp, facts } = await open(way)
      for (const made of [row.good(facts), row.refused(facts), row.waiting?.(facts)]) {
        // `call` fails unless the result fits the schema that the tool lists, whose `next_tool` is a tool or null.
        if (made !== undefined) expect(await mcp.call(tool, made.input)).toMatchObject(made.result)
      }
    },
  )

  test.each(['HTTP', 'stdio'] as const)(
    'does not report hostile arguments over %s as internal errors, and does not quote them as its own words',
    async way => {
      const { mcp, facts } = await open()
      const raw = await RAW[way](stage.service.address, facts.agent.key)
      clients.push(raw)
      const { tools } = await mcp.client.listTools()
      const { inputSchema, outputSchema } = tools.find(({ name }) => name === tool) ?? {}
      const check = new Ajv2020({ validateFormats: false }).compile(Object(outputSchema))
      const names = tools.map(({ name }) => name)
      const calls = hostileArguments(Object(inputSchema), row.good(facts).input, otherIds).map(text =>
        // Each purchase has a key of its own, so that no call is refused for the key of another.
        text.replace(/"key \d+"/, JSON.stringify(key().idempotency_key)),
      )
      const balance = await stage.network.balance(other)
      for (let at = 0; at < calls.length; at += AT_ONCE) {
        const some = calls.slice(at, at + AT_ONCE)
        const results = await Promise.all(some.map(call => raw.call(tool, call)))
        for (const [index, { content, structuredContent: result }] of results.entries()) {
          const call = some[index]
          expect(JSON.parse(content[0]?.text ?? ''), call).toEqual(result)
          expect(check(result), `${call}: ${JSON.stringify(check.errors)}`).toBe(true)
          const { next_tool, untrusted, code = null } = result as { untrusted: string[] } & Input
          expect([null, ...names], call).toContain(next_tool)
          if (code !== null) expect(CODES, call).toContain(code)
          const quoting = placesOf({ ...result, untrusted: [] }, HOSTILE_TEXTS)
          expect(untrusted, call).toEqual(expect.arrayContaining(quoting))
          for (const { text } of content.slice(1)) expect(placesOf(text, HOSTILE_TEXTS), call).toEqual([])
        }
      }
      expect(await stage.network.balance(other)).toMatchObject({ total_spent: balance.total_spent })
      expect(calls.length).toBeGreaterThan(5)
    },
  )
})

test('after a page that does not respond, only what is safe to repeat is a next tool', async () => {
  const late = { isError: true, code: 'timeout' }
  const [asked, sent, fetched] = await noResponse
  expect(asked).toMatchObject({ ...late, next_tool: 'quote_paid_url' })
  expect(sent).toMatchObject({ ...late, next_tool: null })
  expect(fetched).toMatchObject({
    ...{ ...late, next_tool: 'fetch_paid_url' },
    message: expect.stringContaining('the same call goes on where it stopped'),
  })
  for (const { message } of [asked, sent]) expect(message).not.toContain('goes on')
}, 60_000)

/** Calls of a page that does not respond. */
async function askSilently() {
  const { mcp } = await open()
  const request = { url: silent.address }
  return Promise.all([
    mcp.call('quote_paid_url', request),
    mcp.call('quote_paid_url', { ...request, method: 'POST' }),
    mcp.call('fetch_paid_url', { ...request, max_amount: 1, ...key() }),
  ])
}

/** How many hostile calls are on their way at a time. */
const AT_ONCE = 12

/** Codes of a refusal that its caller can act on. */
const CODES = Object.keys(REFUSAL_CODES).filter(code => code !== 'internal_error')
