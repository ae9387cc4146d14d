import { expect, test } from 'vitest'
import { base64FromText } from '../protocol/base64.ts'
import { proofInCredential } from '../protocol/mpp.ts'
import { mppSellers } from './mpp-sellers.ts'

const NONCE = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d71'
const FROM = 'agt_01m7yptc5he00870yqczhzdbjy'
const PAID = 'pay_01m7yptcm9e008qzdncftyawbt'
const PROOF = { version: 1, transactionId: PAID, fromAgent: FROM, nonce: NONCE } as const

function priced(header?: string): Response {
  const methodDetails = { nonce: NONCE, service: 'https://batua.example', resource: 'GET /page' }
  const request = { amount: '250', currency: 'inr', recipient: 'weather', methodDetails }
  const params = `id="1", realm="shop", method="batua", intent="charge", request="${base64FromText(JSON.stringify(request))}"`
  const named = header === undefined ? '' : `, header="${header}"`
  return new Response(null, { status: 402, headers: { 'www-authenticate': `Payment ${params}${named}` } })
}

const offerIn = (response: Response) => mppSellers(async () => true).offerIn(response, null)

test.each([
  [undefined, 'authorization'],
  ['Authorization', 'authorization'],
  ['payment-authorization', 'payment-authorization'],
  ['Payment-Authorization', 'payment-authorization'],
])(
  'a seller that names the header %s gets its payment in %s, and all other headers unchanged',
  async (named, header) => {
    const offer = await offerIn(priced(named))
    const sent = offer?.pay(new Headers({ cookie: 'a=1', 'x-tenant': 'mine' }), PROOF)
    expect(proofInCredential(sent?.get(header) ?? null)).toEqual(PROOF)
    expect([...(sent?.keys() ?? [])].toSorted()).toEqual([header, 'cookie', 'x-tenant'].toSorted())
  },
)

test.each(['Cookie', 'X-Tenant', 'Host', 'X-SERVICE-PAYMENT', 'not a header', ''])(
  'a price whose payment is to be in the header «%s» is not paid',
  async header => {
    expect(await offerIn(priced(header))).toBeNull()
  },
)
