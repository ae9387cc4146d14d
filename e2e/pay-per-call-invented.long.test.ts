import { generateKeyPairSync, sign } from 'node:crypto'
import type { PaymentProof } from '@batua/contract'
import { createClient, payingFetch } from '@batua/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request } from './src/api.ts'
import type { Shop } from './src/pay-per-call-shop.ts'
import { SHOPS } from './src/pay-per-call-shops.ts'
import { openPayPerCallStage, type PayPerCallStage } from './src/pay-per-call-stage.ts'
import { challengeIn, proofHeader, reasonIn } from './src/pay-per-call-wire.ts'

// The limits of the interface, section 8: the service is started without any configuration of them.
const LIMITS = { RATE_LIMIT_AGENT: '', RATE_LIMIT_PLATFORM: '' }
const INVENTED = 1_000
const PATH = '/shop/weather?city=Pune'

let stage: PayPerCallStage
let shop: Shop
/** What the seller has asked the service. */
let asked: string[]

beforeAll(async () => {
  stage = await openPayPerCallStage(LIMITS)
  asked = []
  const client = createClient({
    baseUrl: stage.api.address,
    agentKey: stage.payee.key,
    fetch(input, init) {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname)
      return fetch(input, init)
    },
  })
  const [, open] = SHOPS.find(([name]) => name === 'node:http') ?? []
  if (open === undefined) throw new Error('there is no shop on node:http')
  shop = await open({ client, payTo: stage.payee.handle })
})
afterAll(async () => {
  await shop.close()
  await stage.close()
})

const verifications = () => asked.filter(path => path.endsWith('/verify')).length

async function honestSale(): Promise<void> {
  const buyer = createClient({ baseUrl: stage.api.address, agentKey: stage.buyer.key })
  const buy = payingFetch(fetch, { client: buyer, maxAmount: 20, allowHttp: true })
  const response = await buy(shop.address + PATH)
  expect([response.status, await response.json()]).toMatchObject([200, { city: 'Pune' }])
}

async function invent(make: (proof: PaymentProof) => PaymentProof) {
  const { nonce } = challengeIn(await request(shop.address, 'GET', PATH, {}))
  const proof = {
    version: 1,
    transactionId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01',
    fromAgent: stage.buyer.id,
    nonce,
  }
  return request(shop.address, 'GET', PATH, { headers: proofHeader(make({ ...proof, version: 1 })) })
}

/** As many at once as a few clients would send. */
async function inventMany(make: (proof: PaymentProof) => PaymentProof) {
  const replies = []
  for (let sent = 0; sent < INVENTED; sent += 20) {
    replies.push(...(await Promise.all(Array.from({ length: 20 }, () => invent(make)))))
    if (sent % 200 === 0) await honestSale()
  }
  return replies
}

test('a thousand forged receipts a minute cause no requests to the service, and other sales continue', async () => {
  const { client } = stage
  const { keys, platform } = await client.getServiceKeys()
  const { privateKey } = generateKeyPairSync('ed25519')
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forge = (proof: PaymentProof): PaymentProof => {
    const claims = {
      iss: platform,
      payment_id: proof.transactionId,
      from: proof.fromAgent,
      reference: proof.nonce,
    }
    const head = part({ alg: 'EdDSA', typ: 'receipt+jwt', kid: keys[0]?.key_id })
    const text = `${head}.${part({ ...claims, to: stage.payee.id, amount: 12.5, currency: 'INR' })}`
    return { ...proof, receipt: `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}` }
  }
  const before = verifications()
  const replies = await inventMany(forge)
  expect(new Set(replies.map(reasonIn))).toEqual(new Set(['receipt_not_genuine']))
  expect(verifications() - before).toBe(INVENTED / 200)
})

test('a thousand proofs without a receipt cause a hundred requests to the service, and other sales continue', async () => {
  const before = verifications()
  const replies = await inventMany(proof => proof)
  const statuses = replies.map(({ status }) => status)
  expect(statuses.filter(status => status === 402)).toHaveLength(100)
  expect(statuses.filter(status => status === 503)).toHaveLength(INVENTED - 100)
  expect(verifications() - before).toBe(100 + INVENTED / 200)
  await honestSale()
})
