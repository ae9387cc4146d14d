import { type ClientRequest, createServer, request } from 'node:http'
import { routes } from '@batua/contract'
import { memoryPins, REFUSAL_CODES } from '@batua/mcp'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectMcp, connectWallet, type McpClient } from './src/mcp-client.ts'
import { openOAuth } from './src/oauth.ts'
import { openShop, type Shop } from './src/pay-per-call-shop.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'
import { argumentsOf, followResults, type Input, type Others, type Turn } from './src/scripted-model.ts'
import { openStage } from './src/stage.ts'

type Policy = Parameters<PayingStage['network']['fundedAgent']>[1]

let stage: PayingStage
let shop: Shop
/** Whether the shop leaves requests with a proof without a response. */
let isLosing = false
/** The codes of the refusals from which the model has recovered. */
const recoveredFrom = new Set<unknown>()

beforeAll(async () => {
  stage = await openPayingStage()
  const client = createClient({ baseUrl: stage.service.address, agentKey: stage.payee.key })
  const selling = { client, payTo: stage.payee.handle, amount: 12.5 }
  const page = requirePayment(selling, (_request, response) => response.end('sunny'))
  shop = await openShop(
    createServer((request, response) => {
      if (request.headers['x-service-payment'] === undefined || !isLosing) return page(request, response)
      request.socket.destroy()
    }),
  )
})
afterAll(async () => {
  await shop?.close()
  await stage?.close()
})

/** Follows the results, and notes from which refusals that led to an end. */
async function follow(
  mcp: McpClient,
  tool: string,
  task: Input,
  others: Partial<Others> = {},
): Promise<Turn[]> {
  const turns = await followResults(mcp, tool, task, { until: clockIs, ...others })
  if (turns.at(-1)?.response.isError === false)
    for (const { response } of turns) if (response.isError) recoveredFrom.add(response['code'])
  return turns
}

async function clockIs(moment: number): Promise<void> {
  const advance_seconds = Math.ceil((moment - Date.now()) / 1_000)
  await stage.api.ok(routes.advanceClock, { body: { advance_seconds } })
}

interface Recovery {
  readonly refused: string
  readonly policy?: Policy
  /** What was done before, by the same tool. */
  readonly before?: Input
  readonly isFrozen?: boolean
  /** The shop responds to no proof of the first call. */
  readonly losesProofs?: boolean
  readonly tool?: string
  readonly task: Input
  /** The tools in their order, of which the last returns `ends`. */
  readonly tools: readonly string[]
  readonly ends: Input
}

const RECOVERIES: readonly Recovery[] = [
  {
    refused: 'a limit of one payment',
    policy: { spend_limit_per_tx: 50 },
    task: { amount: 60 },
    tools: ['pay', 'check_payment', 'pay'],
    ends: { status: 'completed', from_balance: 975 - 51 },
  },
  {
    refused: 'insufficient_balance',
    task: { amount: 2_000 },
    tools: ['pay', 'get_wallet'],
    ends: { balance: 975 },
  },
  {
    refused: 'escrow_required',
    policy: { require_escrow_above: 20 },
    task: { amount: 30 },
    tools: ['pay', 'hold_escrow'],
    ends: { status: 'held', amount: 30 },
  },
  {
    refused: 'price_too_high',
    tool: 'fetch_paid_url',
    task: { max_amount: 5 },
    tools: ['fetch_paid_url', 'quote_paid_url', 'fetch_paid_url'],
    ends: { status: 200, body: 'sunny', amount: 12.5 },
  },
  {
    refused: 'idempotency_error',
    before: { amount: 5, idempotency_key: 'k' },
    task: { amount: 6, idempotency_key: 'k' },
    tools: ['pay', 'get_payment'],
    ends: { status: 'completed', amount: 5 },
  },
  {
    refused: 'not_found',
    tool: 'get_payment',
    task: { idempotency_key: 'never used' },
    tools: ['get_payment', 'list_transactions'],
    ends: { transactions: [expect.objectContaining({ type: 'fund' })] },
  },
  {
    refused: 'conflict',
    before: { amount: 5, reference: 'invoice', unique_reference: true, idempotency_key: 'first' },
    task: { amount: 5, reference: 'invoice', unique_reference: true, idempotency_key: 'second' },
    tools: ['pay', 'get_payment'],
    ends: { status: 'completed', amount: 5, reference: 'invoice' },
  },
  {
    refused: 'policy_denied',
    isFrozen: true,
    task: { amount: 5 },
    tools: ['pay', 'get_wallet'],
    ends: { status: 'frozen', balance: 975, max_amount_now: 0 },
  },
  {
    refused: 'validation_error',
    task: { amount: 5, reference: 'two\nlines' },
    tools: ['pay', 'pay'],
    ends: { status: 'completed', from_balance: 975 - 6 },
  },
  {
    refused: 'url_unreachable after the page was paid',
    losesProofs: true,
    tool: 'fetch_paid_url',
    task: { max_amount: 20 },
    tools: ['fetch_paid_url', 'fetch_paid_url'],
    ends: { status: 200, body: 'sunny', amount: 12.5 },
  },
  {
    refused: 'payment_not_accepted, as the page was delivered',
    tool: 'fetch_paid_url',
    before: { max_amount: 20, idempotency_key: 'k' },
    task: { max_amount: 20 },
    tools: ['fetch_paid_url', 'get_payment'],
    ends: { status: 'completed', amount: 12.5 },
  },
  {
    refused: 'nothing, but waits for the owner',
    policy: { require_human_approval_above: 20 },
    task: { amount: 30 },
    tools: ['pay', 'get_approval', 'get_payment'],
    ends: { status: 'completed', amount: 30 },
  },
  {
    refused: 'a limit of the hour, and waits until retry_at',
    policy: { spend_limit_hourly: 50 },
    before: { amount: 50, idempotency_key: 'first' },
    task: { amount: 20 },
    tools: ['pay', 'pay'],
    ends: { status: 'completed', from_balance: 975 - 51 - 21 },
  },
]

test.each(RECOVERIES)(
  'a model that follows the results alone recovers from $refused',
  async ({ policy, before, isFrozen, losesProofs = false, tool = 'pay', task, tools, ends }) => {
    const { network, api, owner, payee, service } = stage
    const buyer = await network.fundedAgent(owner, policy)
    const mcp = await connectMcp(service.address, buyer.key)
    const known = { to: payee.id, url: shop.address, idempotency_key: 'k' }
    if (before !== undefined) await mcp.call(tool, argumentsOf(tool, { ...known, ...before }))
    if (isFrozen === true)
      await api.ok(routes.bulkFreezeAgents, {
        headers: await network.admin(),
        body: { agent_ids: [buyer.id] },
      })
    isLosing = losesProofs
    const losing: McpClient = {
      ...mcp,
      call: (...call) => mcp.call(...call).finally(() => (isLosing = false)),
    }
    const headers = await network.login(owner)
    const approve = async () => {
      const { approvals } = await api.ok(routes.listApprovals, { headers })
      for (const { approval_id } of approvals)
        await api.ok(routes.approve, { params: { approval_id }, headers })
    }
    const turns = await follow(losing, tool, { ...known, ...task }, { owner: approve })
    expect(turns.map(turn => turn.tool)).toEqual(tools)
    expect(turns.at(-1)?.response).toMatchObject({ isError: false, ...ends })
    await mcp.close()
  },
)

test('a model that follows the results alone recovers from the cap of its app', async () => {
  const { network, owner, payee, service } = stage
  const oauth = openOAuth(service.address)
  const buyer = await network.fundedAgent(owner)
  const session = await network.login(owner)
  const { access_token } = await oauth.connect(buyer, session, { daily: 100, per_tx: 20 })
  const mcp = await oauth.mcp(access_token)
  const task = { to: payee.id, amount: 30, idempotency_key: 'k' }
  const turns = await follow(mcp, 'pay', task)
  expect(turns[0]?.response).toMatchObject({ isError: true, layer: 'app', max_amount_now: 20 })
  expect(turns.map(({ tool }) => tool)).toEqual(['pay', 'check_payment', 'pay'])
  expect(turns.at(-1)?.response).toMatchObject({
    isError: false,
    status: 'completed',
    from_balance: 975 - 21,
  })
  await mcp.close()
})

test('a model that follows the results alone recovers from rate_limit_exceeded, and waits until retry_at', async () => {
  const busy = await openPayingStage(openStage({ MAX_IN_FLIGHT: '1' }))
  try {
    const { network, api, owner, payee, service } = busy
    const buyer = await network.fundedAgent(owner)
    const mcp = await connectMcp(service.address, buyer.key)
    const status = async () => (await api.send(routes.getCurrentAgent, { headers: buyer.headers })).status
    let held: ClientRequest | null = null
    // A request whose body does not arrive has the only place, unless another one had it: then it is refused.
    const hold = () => {
      const sent = request(`${service.address}/v1/agents/${buyer.id}/pay`, {
        ...{ method: 'POST', headers: { ...buyer.headers, 'content-length': '2' } },
      })
      held = sent
        .on('error', () => undefined)
        .on('response', () => {
          held = null
          sent.destroy()
        })
      sent.flushHeaders()
    }
    const PATIENT = { timeout: 20_000 }
    await expect
      .poll(async () => {
        const found = await status()
        if (held === null) hold()
        return found
      }, PATIENT)
      .toBe(429)
    const until = async (moment: number) => {
      expect(moment - Date.now()).toBeLessThanOrEqual(1_000)
      held?.destroy()
      await expect.poll(status, PATIENT).toBe(200)
    }
    const task = { to: payee.id, amount: 5, idempotency_key: 'k' }
    const turns = await follow(mcp, 'pay', task, { until })
    expect(turns.map(({ response }) => response['code'] ?? response['status'])).toEqual([
      'rate_limit_exceeded',
      'completed',
    ])
    await mcp.close()
  } finally {
    await busy.close()
  }
})

const codesAfterWhich = (what: string) =>
  Object.entries(REFUSAL_CODES).flatMap(([code, then]) => (then === what ? [code] : []))

/** What comes in the place of a response of the service. */
function respondInstead(code: string, signal: AbortSignal | null | undefined): Promise<Response> {
  if (code === 'network_error') return Promise.reject(new TypeError('fetch failed'))
  if (code === 'invalid_response') return Promise.resolve(new Response('<html>', { status: 200 }))
  if (code !== 'timeout') {
    const error = { code, message: 'It failed', request_id: 'req_1' }
    return Promise.resolve(Response.json({ error }, { status: 500 }))
  }
  return new Promise((_resolve, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason as Error)),
  )
}

test.each(codesAfterWhich('repeat'))(
  'a model that follows the results alone learns after %s that it has paid, and pays once',
  async code => {
    const { network, owner, payee, service } = stage
    const buyer = await network.fundedAgent(owner)
    let faults = 1
    const client = createClient({
      ...{ baseUrl: service.address, agentKey: buyer.key, maxRetries: 0, timeoutMs: 2_000 },
      // The service does what it is asked to, and then its response is lost.
      async fetch(input, init) {
        const response = await fetch(input, init)
        return faults-- > 0 ? await respondInstead(code, init?.signal) : response
      },
    })
    const outside = {
      fetch,
      allowHttp: true,
      pins: memoryPins(),
      voucherSecret: null,
      beforeActing: async () => undefined,
    }
    const wallet = { ...outside, client, agentId: async () => buyer.id }
    const mcp = await connectWallet(wallet)
    const turns = await follow(mcp, 'pay', { to: payee.id, amount: 5, idempotency_key: 'k' })
    expect(turns.map(({ response }) => response['code'] ?? response['status'])).toEqual([
      code,
      'idempotency_error',
      'completed',
    ])
    expect(await network.balance(buyer)).toMatchObject({ total_spent: 6 })
    await mcp.close()
  },
)

test('the model has recovered from every refusal that is not for a person', () => {
  const each = [...codesAfterWhich('tool'), ...codesAfterWhich('repeat')]
  expect(each.filter(code => !recoveredFrom.has(code))).toEqual([])
  expect(codesAfterWhich('person').filter(code => recoveredFrom.has(code))).toEqual([])
})
