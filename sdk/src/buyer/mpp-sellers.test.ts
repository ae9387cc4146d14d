import { expect, test } from 'vitest'
import { base64FromText, base64UrlFromBytes } from '../protocol/base64.ts'
import { ed25519 } from '../protocol/ed25519.ts'
import { proofInCredential, voucherInCredential } from '../protocol/mpp.ts'
import { isSignedBy, readVoucher } from '../protocol/vouchers.ts'
import { mppSellers } from './mpp-sellers.ts'
import { voucherKeyOf } from './voucher-key.ts'

const NONCE = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d71'
const FROM = 'agt_01m7yptc5he00870yqczhzdbjy'
const PAID = 'pay_01m7yptcm9e008qzdncftyawbt'
const PROOF = { version: 1, transactionId: PAID, fromAgent: FROM, nonce: NONCE } as const

function challenge(intent: 'charge' | 'session', nonce = NONCE, amount = '250'): string {
  const methodDetails = { nonce, service: 'https://batua.example', resource: 'GET /page' }
  const request = { amount, currency: 'inr', recipient: 'weather', methodDetails }
  return `Payment id="1", realm="shop", method="batua", intent="${intent}", request="${base64FromText(JSON.stringify(request))}"`
}

const asking = (header: string) =>
  new Response(null, { status: 402, headers: { 'www-authenticate': header } })

function priced(header?: string): Response {
  return asking(challenge('charge') + (header === undefined ? '' : `, header="${header}"`))
}

const sellers = mppSellers(async () => true, 'a secret')
const offerIn = (response: Response) => sellers.offerIn(response, null)

test.each([
  [undefined, 'authorization'],
  ['Authorization', 'authorization'],
  ['payment-authorization', 'payment-authorization'],
  ['Payment-Authorization', 'payment-authorization'],
])(
  'a seller that names the header %s gets its payment in %s, and all other headers unchanged',
  async (named, header) => {
    const offer = await offerIn(priced(named))
    const sent = await offer?.pay(new Headers({ cookie: 'a=1', 'x-tenant': 'mine' }), PROOF)
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

const NEWER = '1b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d72'
const AUTHORIZATION = 'ath_01m7yptcm9e008qzdncftyawbt'

/** What shows that an amount is set aside. */
function setAside(amount: string) {
  const content = new TextEncoder().encode(JSON.stringify({ jti: AUTHORIZATION, amount }))
  return {
    version: 1,
    authorization: `e30.${base64UrlFromBytes(content)}.c2ln`,
    fromAgent: FROM,
    nonce: NONCE,
  } as const
}

test('a seller of both intents is paid by a charge, and one of a session alone is paid by a voucher', async () => {
  const both = await offerIn(asking(`${challenge('session')}, ${challenge('charge')}`))
  expect(both?.setAsideSeconds).toBeNull()
  const alone = await offerIn(asking(challenge('session')))
  expect(alone).toMatchObject({ setAsideSeconds: 3_600, byVoucher: true })
})

test('a voucher is signed for all that is set aside and the newest nonce, by the key of the purchase', async () => {
  const proof = setAside('2.50')
  const offer = await sellers.offerIn(asking(challenge('session', NEWER)), proof)
  const sent = await offer?.pay(new Headers(), proof)
  const shown = voucherInCredential(sent?.get('authorization') ?? null)
  expect(shown).toMatchObject({ authorization: proof.authorization, nonce: NEWER })
  const voucher = readVoucher(shown?.voucher ?? '')
  expect(voucher).toMatchObject({ authorizationId: AUTHORIZATION, amountPaise: 250n, nonce: NEWER })
  const verify = await ed25519.verifier((await voucherKeyOf('a secret', NONCE)).publicKey)
  expect(verify && voucher && (await isSignedBy(verify, voucher))).toBe(true)
})

test.each(['251', '249', '1'])(
  'nothing is signed at a price of %s paise, which is not what is set aside',
  async amount => {
    const offer = await sellers.offerIn(asking(challenge('session', NEWER, amount)), setAside('2.50'))
    expect([...((await offer?.pay(new Headers(), setAside('2.50'))) ?? [])]).toEqual([])
  },
)

test('a payment is not shown for a session, and money that is set aside not for a charge', async () => {
  expect(await sellers.offerIn(asking(challenge('session')), PROOF)).toBeNull()
  expect(await sellers.offerIn(asking(challenge('charge')), setAside('2.50'))).toBeNull()
})
