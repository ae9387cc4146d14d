import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { routes } from '@batua/contract'
import { memoryPins, REFUSAL_CODES, type Wallet } from '@batua/mcp'
import { createClient, type PurchaseErrorCode } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectMcp, connectWallet, type McpClient } from './src/mcp-client.ts'
import type { Agent } from './src/network.ts'
import { openShop } from './src/pay-per-call-shop.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'
import { argumentsOf, followResults, type Input } from './src/scripted-model.ts'
import { openScriptedSeller, type ScriptedSeller } from './src/scripted-seller.ts'

let stage: PayingStage
let seller: ScriptedSeller
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  stage = await openPayingStage()
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})
afterAll(() => stage.close())

/** The purchase that a model is asked to make. */
interface Purchase {
  readonly buyer: Agent
  readonly url: string
  readonly mcp: McpClient
}

interface Case {
  /** What is refused before anything is paid leads to no tool; a purchase that is paid leads to its payment. */
  readonly isPaid: boolean
  /** Brings about that the purchase is refused. */
  readonly prepare: (purchase: Purchase) => Promise<Partial<Purchase> | void>
}

const MAX_AMOUNT = 20
const order = (url: string, key: string) => ({ url, max_amount: MAX_AMOUNT, idempotency_key: key })

/** A purchase that waits for the owner, and is decided while the same call looks for it. */
async function decidedMeanwhile(
  { buyer, mcp, url }: Purchase,
  decide: (approval_id: string) => Promise<unknown>,
) {
  await stage.api.ok(routes.updateAgent, {
    ...{ params: { agent_id: buyer.id }, headers: stage.platform.headers },
    body: { require_human_approval_above: 5 },
  })
  const { approval_id, next_tool } = await mcp.call('fetch_paid_url', order(url, 'k'))
  expect(next_tool).toBe('get_approval')
  let hasDecided = false
  const client = clientOf(buyer, async path => {
    if (hasDecided || !path.startsWith('/v1/approvals/')) return null
    hasDecided = true
    await decide(String(approval_id))
    return null
  })
  return walletOf(buyer, { client })
}

/** A client of the service, with what comes in the place of a response, by the path of its request; null: the response. */
function clientOf(buyer: Agent, instead: (path: string) => Promise<Response | null>) {
  return createClient({
    ...{ baseUrl: stage.service.address, agentKey: buyer.key },
    async fetch(input, init) {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      return (await instead(pathname)) ?? fetch(input, init)
    },
  })
}

/** The wallet in this process, whose parts a test can change. */
async function walletOf(buyer: Agent, change: Partial<Wallet>): Promise<{ readonly mcp: McpClient }> {
  const client = createClient({ baseUrl: stage.service.address, agentKey: buyer.key })
  const agentId = async () => buyer.id
  const outside = { fetch, allowHttp: true, pins: memoryPins(), beforeActing: async () => undefined }
  const mcp = await connectWallet({ ...outside, client, voucherSecret: null, agentId, ...change })
  closing.push(() => mcp.close())
  return { mcp }
}

/** Each code of a purchase, and what makes it; or why no tool can return it. */
const CASES: Readonly<Record<Exclude<PurchaseErrorCode, 'price_too_high'>, Case | string>> = {
  invalid_challenge: {
    isPaid: false,
    prepare: async () => ({ url: `${seller.address}/garbled-402` }),
  },
  budget_exceeded: 'the tools have no budgets of their own: limits are the service’s',
  payee_not_allowed: {
    isPaid: false,
    async prepare() {
      const elsewhere = await stage.network.agent(stage.owner)
      await stage.api.ok(routes.updateAgent, {
        ...{ params: { agent_id: elsewhere.id }, headers: stage.platform.headers },
        body: { origins: ['https://shop.example'] },
      })
      seller.sign.payTo = elsewhere.handle
    },
  },
  payee_changed: {
    isPaid: false,
    async prepare({ mcp, url }) {
      expect(await mcp.call('fetch_paid_url', order(url, 'before'))).toMatchObject({ status: 200 })
      seller.sign.payTo = (await stage.network.agent(stage.owner)).handle
    },
  },
  buyer_not_accepted: {
    isPaid: false,
    async prepare() {
      const client = createClient({ baseUrl: stage.service.address, agentKey: stage.payee.key })
      const selective = { client, payTo: stage.payee.handle, amount: 2, buyers: { kyc: 'verified' } } as const
      const shop = await openShop(createServer(requirePayment(selective, (_, response) => response.end())))
      closing.push(() => shop.close())
      return { url: shop.address }
    },
  },
  origins_not_genuine: {
    isPaid: false,
    prepare: ({ buyer }) => {
      const client = clientOf(buyer, async path => {
        if (!path.endsWith('/origins')) return null
        const response = await fetch(stage.service.address + path)
        return Response.json({ ...Object(await response.json()), origins: [seller.address] })
      })
      return walletOf(buyer, { client })
    },
  },
  insecure_seller: {
    isPaid: false,
    prepare: ({ buyer }) => walletOf(buyer, { allowHttp: false }),
  },
  redirect_refused: {
    isPaid: true,
    async prepare() {
      seller.turns.push(response => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    },
  },
  body_not_repeatable: 'the tools take a body as text, which can be sent again',
  approval_rejected: {
    isPaid: false,
    prepare: purchase =>
      decidedMeanwhile(purchase, async approval_id => {
        const headers = await stage.network.login(stage.owner)
        return stage.api.ok(routes.reject, { params: { approval_id }, headers })
      }),
  },
  approval_expired: {
    isPaid: false,
    prepare: purchase =>
      decidedMeanwhile(purchase, () =>
        stage.api.ok(routes.advanceClock, { body: { advance_seconds: 25 * 3_600 } }),
      ),
  },
  approval_timeout: 'the tools return at once while the owner decides',
  price_changed: {
    isPaid: true,
    async prepare() {
      seller.turns.push((_response, serve) => {
        seller.sign.price = '12.00'
        return serve()
      })
    },
  },
  payment_not_accepted: {
    isPaid: true,
    async prepare({ mcp, url }) {
      expect(await mcp.call('fetch_paid_url', order(url, 'k'))).toMatchObject({ status: 200 })
    },
  },
  payment_mismatch: {
    isPaid: true,
    async prepare({ mcp, url }) {
      seller.sign.nonce = randomUUID()
      expect(await mcp.call('fetch_paid_url', order(url, 'before'))).toMatchObject({ status: 200 })
      seller.sign.price = '12.00'
    },
  },
}

test('each code after which a model reads the payment has a case, or a reason why no tool returns it', () => {
  const codes = Object.entries(REFUSAL_CODES).flatMap(([code, then]) => (then === 'payment' ? [code] : []))
  expect(Object.keys(CASES).toSorted()).toEqual(codes.toSorted())
})

describe('a model that follows the results alone', () => {
  const cases = Object.entries(CASES).flatMap(([code, made]) =>
    typeof made === 'string' ? [] : [{ code, ...made }],
  )
  test.each(cases)(
    'ends after $code, and knows whether it has paid: $isPaid',
    async ({ code, isPaid, prepare }) => {
      seller = await openScriptedSeller(stage.service.address, stage.payee)
      closing.push(() => seller.close())
      const buyer = await stage.network.fundedAgent(stage.owner)
      const official = await connectMcp(stage.service.address, buyer.key)
      closing.push(() => official.close())
      const asked = { buyer, mcp: official, url: seller.address }
      const { mcp, url } = { ...asked, ...(await prepare(asked)) }

      const { total_spent: before } = await stage.network.balance(buyer)
      const task: Input = order(url, 'k')
      const turns = await followResults(mcp, 'fetch_paid_url', task, {
        until: () => Promise.reject(new Error('waits')),
      })
      const { total_spent: after } = await stage.network.balance(buyer)
      expect(turns[0]?.response).toMatchObject({
        isError: true,
        code,
        next_tool: isPaid ? 'get_payment' : null,
      })
      expect(turns[0]?.response['untrusted']).toContain('/message')
      expect(turns.map(({ tool }) => tool)).toEqual(
        isPaid ? ['fetch_paid_url', 'get_payment'] : ['fetch_paid_url'],
      )
      const details = Object(turns[0]?.response['details'])
      if (!isPaid) expect([details.payment_id, after]).toEqual([null, before])
      else
        expect(turns[1]?.response).toMatchObject({
          ...{ isError: false, payment_id: details.payment_id, status: 'completed', amount: 10 },
        })
      // The same call again pays nothing, whatever the seller says.
      await mcp.call('fetch_paid_url', argumentsOf('fetch_paid_url', task))
      expect(await stage.network.balance(buyer)).toMatchObject({ total_spent: after })
    },
  )
})

test('a price that cannot be read is no price of a question either', async () => {
  seller = await openScriptedSeller(stage.service.address, stage.payee)
  closing.push(() => seller.close())
  const mcp = await connectMcp(stage.service.address, (await stage.network.agent(stage.owner)).key)
  closing.push(() => mcp.close())
  const garbled = { url: `${seller.address}/garbled-402` }
  expect(await mcp.call('quote_paid_url', garbled)).toMatchObject({
    ...{ isError: true, code: 'invalid_challenge', next_tool: null, field: 'url' },
  })
})
