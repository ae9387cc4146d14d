import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { routes, TOTAL_HEADER } from '@batua/contract'
import {
  type Client,
  closeTabs,
  createClient,
  type PayingFetchOptions,
  payingFetch,
  paymentOf,
} from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { memoryTabStore, type TabOptions } from '@batua/sdk/seller'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { openShop, type Shop } from './src/pay-per-call-shop.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let buyer: Agent
let seller: Agent
const closing: (() => Promise<unknown>)[] = []
/** What buyer and seller asked the service, by method and path without ids. */
let asked: string[] = []
const errors: unknown[] = []

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  const { network, owner } = stage
  ;[buyer, seller] = [await network.fundedAgent(owner), await network.agent(owner)]
  asked = []
  errors.length = 0
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function clientOf(agent: Agent): Client {
  return createClient({
    baseUrl: stage.api.address,
    agentKey: agent.key,
    maxRetries: 0,
    fetch(input, init) {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      asked.push(`${init?.method} ${pathname.replace(/(ath|agt|pay)_\w+/, '$1')}`)
      return fetch(input, init)
    },
  })
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown
const sunny: Handler = (_, response) => response.end('sunny')

/** A shop of the seller where everything costs ten paise. */
async function openTabShop(
  handler: Handler = sunny,
  tab: Partial<TabOptions> = {},
): Promise<Shop & { closeStore(): Promise<void> }> {
  const store = memoryTabStore()
  const options = { client: clientOf(seller), payTo: seller.handle, amount: 0.1, tab: { store, ...tab } }
  const shop = await openShop(
    createServer(requirePayment({ ...options, onError: error => errors.push(error) }, handler)),
  )
  let isClosed = false
  const closeStore = async () => {
    if (!isClosed) await store.close()
    isClosed = true
  }
  closing.push(closeStore, () => shop.close())
  return { ...shop, closeStore }
}

function buying(options: Partial<PayingFetchOptions> = {}): typeof fetch {
  const client = clientOf(buyer)
  const terms = { client, maxAmount: 1, allowHttp: true, tab: { amount: 50 }, ...options }
  const buy = payingFetch(fetch, terms)
  closing.push(() => closeTabs(buy))
  return buy
}

async function authorizationsOf(agent: Agent) {
  const call = { params: { agent_id: agent.id }, headers: agent.headers, query: {} }
  return (await stage.api.ok(routes.listAuthorizations, call)).authorizations
}

test('ninety-nine calls of ten paise cost one fee, and no call asks the service', async () => {
  const shop = await openTabShop()
  const buy = buying()
  const first = await buy(`${shop.address}/weather`)
  expect([await first.text(), first.headers.get(TOTAL_HEADER)]).toEqual(['sunny', '0.10'])
  const [authorization] = await authorizationsOf(buyer)
  expect(paymentOf(first)).toMatchObject({ amount: '0.10', paymentId: authorization?.authorization_id })
  asked = []
  for (let call = 2; call <= 30; call++) {
    const response = await buy(`${shop.address}/weather`)
    expect(response.headers.get(TOTAL_HEADER)).toBe((call / 10).toFixed(2))
    await response.text()
  }
  expect(asked).toEqual([])
  await Promise.all(Array.from({ length: 69 }, async () => (await buy(`${shop.address}/weather`)).text()))
  await closeTabs(buy)
  await shop.closeStore()
  expect(await authorizationsOf(buyer)).toMatchObject([{ status: 'closed', captured: 9.9, fee: 1 }])
  expect(await stage.network.balance(buyer)).toMatchObject({ available: 975 - 10.9, total_spent: 10.9 })
  expect((await stage.network.balance(seller)).available).toBe(9.9)
  expect(errors).toEqual([])
})
