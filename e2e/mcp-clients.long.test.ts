import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectMcp, ERAS, type McpClient } from './src/mcp-client.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const AGENTS = 10
const CLIENTS_EACH = 10
const AMOUNT = 25
/** Eight payments of an agent fit. */
const DAILY = 200

let stage: PayingStage
const clients: McpClient[] = []

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(async () => {
  await Promise.all(clients.map(client => client.close()))
  await stage.close()
})

test('a hundred clients of ten agents pay at once, each key once and each agent up to its limit', async () => {
  const { api, network, owner, payee, service } = stage
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, () => network.fundedAgent(owner, { spend_limit_daily: DAILY })),
  )
  const each = agents.flatMap(agent => Array.from({ length: CLIENTS_EACH }, (_, at) => ({ agent, at })))
  const tried = each.map(async ({ agent, at }) => {
    const mcp = await connectMcp(service.address, agent.key, ERAS[at % ERAS.length])
    clients.push(mcp)
    expect(await mcp.call('get_wallet')).toMatchObject({ isError: false, handle: agent.handle })
    const order = { to: payee.id, amount: AMOUNT, idempotency_key: `order ${at}` }
    // A model that repeats itself.
    const responses = await Promise.all([mcp.call('pay', order), mcp.call('pay', order)])
    return { agent, paid: responses.filter(({ isError }) => !isError), responses }
  })
  const results = await Promise.all(tried)

  const inAll = (DAILY / AMOUNT) * AGENTS
  expect(results.flatMap(({ paid }) => paid)).toHaveLength(inAll)
  for (const { paid, responses } of results) {
    const others = responses.filter(({ isError }) => isError)
    if (paid.length === 1) {
      expect(others).toMatchObject([{ code: 'idempotency_error', next_tool: 'get_payment' }])
    } else {
      const refusal = { code: 'spend_limit_exceeded', layer: 'agent', limit: DAILY, max_amount_now: 0 }
      expect(others).toMatchObject([refusal, refusal])
    }
  }
  for (const { id, headers } of agents) {
    const { payments } = await api.ok(routes.listPayments, { params: { agent_id: id }, headers })
    expect(payments.map(({ amount }) => amount)).toEqual(Array(DAILY / AMOUNT).fill(AMOUNT))
  }
  expect((await network.balance(payee)).available).toBe(inAll * AMOUNT)
})
