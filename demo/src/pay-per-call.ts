import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CHALLENGE_HEADER, createClient, encodeProof, PROOF_HEADER, payingFetch, paymentOf } from '@batua/sdk'
import { paymentFor, requirePayment } from '@batua/sdk/node'
import type { Agents } from './cast.ts'
import { inr } from './money.ts'
import { type Actor, insist, type Stage } from './stage.ts'

const PRICE_INR = 12.5
const CITY = 'Pune'

/** A paid weather API opens, and the other agent buys a forecast from it (interface section 4, Pay-per-call). */
export async function sellWeather(stage: Stage, { payer, payee }: Agents): Promise<void> {
  const { client, paper } = stage
  paper.chapter(`A weather API charges ${inr(PRICE_INR)} INR a call, and an agent buys from it`)
  const shop = await listen(weatherApi(stage, payee))
  try {
    const address = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/weather?city=${CITY}`
    const buying = createClient({ baseUrl: client.address, agentKey: payer.key, fetch: client.fetch })
    const fetch = payingFetch(client.fetch, { client: buying, maxAmount: 20, allowHttp: true })
    const response = await fetch(address)
    insist(response.status === 200, 'a call that was paid is served')
    const { paymentId = null, amount, nonce } = paymentOf(response) ?? {}
    insist(paymentId !== null && nonce !== undefined, 'a response names its payment')
    paper.facts([
      ['forecast', await response.text()],
      ['paid', `${amount} INR`, 'the buyer had set a maximum of 20 per call'],
      ['payment', paymentId],
    ])
    paper.proof('The buyer’s program called fetch once; the 402 and the payment happened inside.')
    const proof = encodeProof({ version: 1, transactionId: paymentId, fromAgent: payer.id, nonce })
    await showAgain(stage, address, proof)
  } finally {
    shop.closeAllConnections()
    shop.close()
  }
}

/** The seller's whole code: one function around its handler. */
function weatherApi({ client }: Stage, payee: Actor): RequestListener {
  const selling = createClient({ baseUrl: client.address, agentKey: payee.key, fetch: client.fetch })
  return requirePayment(
    { client: selling, payTo: payee.handle, amount: PRICE_INR, description: 'The weather of a city' },
    (request, response) => {
      insist(paymentFor(request) !== undefined, 'a handler runs only for a paid request')
      response.end(`${CITY}: 31 °C, sunny`)
    },
  )
}

/** A proof is valid for one response. */
async function showAgain({ client, paper }: Stage, address: string, proof: string): Promise<void> {
  const again = await client.fetch(address, { headers: { [PROOF_HEADER]: proof } })
  const { error } = (await again.json()) as { error: { details: { reason?: string } } }
  insist(error.details.reason === 'nonce_already_used', 'a payment is served once')
  insist(again.headers.has(CHALLENGE_HEADER), 'a request without a payment gets the price')
  paper.proof(`The same payment presented again: ${error.details.reason}.`)
}

function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}
