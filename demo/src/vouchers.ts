import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { routes } from '@batua/contract'
import { closeTabs, createClient, payingFetch, paymentOf } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { type ExclusiveTabStore, memoryTabStore } from '@batua/sdk/seller'
import type { Agents } from './cast.ts'
import { inr } from './money.ts'
import { type Actor, insist, type Stage } from './stage.ts'

const CALLS = 1_000
const PRICE_INR = 0.1
const AT_ONCE = 10
/** The fee of each call if it were a payment of its own. */
const LEAST_FEE_INR = 1

/** An agent buys a thousand calls of ten paise, each with a voucher that it signs (contract section 12). */
export async function sellManyCalls(stage: Stage, { payer, payee }: Agents): Promise<void> {
  const { client, paper } = stage
  const priceInr = CALLS * PRICE_INR
  paper.chapter(`A thousand calls of ${inr(PRICE_INR)} INR are paid with one fee`)
  const store = memoryTabStore()
  const shop = await openShop(stage, payee, store)
  const buying = createClient({ baseUrl: client.address, agentKey: payer.key, fetch: client.fetch })
  const terms = { client: buying, maxAmount: 1, allowHttp: true, tab: { amount: priceInr } }
  const buy = payingFetch(fetch, terms)
  try {
    const address = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/weather`
    const startedMs = performance.now()
    const authorizationId = await callOften(buy, address)
    const seconds = (performance.now() - startedMs) / 1_000
    await closeTabs(buy)
    await store.close()
    const params = { authorization_id: authorizationId }
    const closed = await client.ok(routes.getAuthorization, { params, headers: payer.headers })
    insist(closed.captured === priceInr, 'every call is captured, and nothing else')
    insist(closed.fee === LEAST_FEE_INR, 'all calls together cost one fee')
    paper.facts([
      ['calls', String(CALLS), `in ${seconds.toFixed(1)} s, ${AT_ONCE} at a time`],
      ['captured', `${inr(closed.captured)} INR`, 'by vouchers that the buyer signed, in parts'],
      [
        'fee',
        `${inr(closed.fee)} INR`,
        `with one payment a call it would be ${inr(CALLS * LEAST_FEE_INR)} INR`,
      ],
    ])
    paper.proof('The service was asked only when money was set aside, captured and given back.')
  } finally {
    shop.closeAllConnections()
    shop.close()
  }
}

/** Returns the authorization that paid. */
async function callOften(buy: typeof fetch, address: string): Promise<string> {
  let paidBy = ''
  for (let call = 0; call < CALLS; call += AT_ONCE) {
    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => buy(address)))
    for (const response of responses) {
      insist(response.status === 200, 'a call that was paid is served')
      await response.text()
      paidBy = paymentOf(response)?.paymentId ?? ''
    }
  }
  return paidBy
}

/** The seller's whole code; it captures less often than usual, so that the demo stays short. */
function openShop({ client }: Stage, payee: Actor, store: ExclusiveTabStore): Promise<Server> {
  const selling = createClient({ baseUrl: client.address, agentKey: payee.key, fetch: client.fetch })
  const tab = { store, maxOutstanding: 60, captureAbove: 40 }
  const offer = { client: selling, payTo: payee.handle, amount: PRICE_INR, tab }
  const server = createServer(requirePayment(offer, (_request, response) => response.end('31 °C')))
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}
