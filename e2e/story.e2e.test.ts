import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { type ResponseOf, routes } from '@batua/contract'
import canonicalize from 'canonicalize'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, openApi } from './src/api.ts'
import { faultsInDocument } from './src/documented.ts'
import {
  type Agent,
  type Network,
  newBankAccount,
  type Owner,
  openNetwork,
  type Platform,
} from './src/network.ts'
import { openSeller, type Seller } from './src/seller.ts'
import { MASTER_KEY, type Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let service: Service
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let buyer: Agent
let seller: Agent
const confidential: string[] = [MASTER_KEY]

beforeAll(async () => {
  stage = await sharedStage()
  ;({ service } = stage)
  // A client of its own, because the test checks every request that was made with it.
  api = openApi(service.address)
  network = openNetwork(api)
  const { password } = new URL(stage.database.url)
  if (password !== '') confidential.push(password)
})
afterAll(() => stage.close())

describe('a platform creates owners and agents', () => {
  test('a platform signs up without a credential and sees its secrets once', async () => {
    platform = await network.platform()
    const seen = await api.ok(routes.getPlatform, {
      params: { platform_id: platform.id },
      headers: platform.headers,
    })
    expect(seen).toMatchObject({ platform_id: platform.id, status: 'active', webhook_url: null })
    expect(JSON.stringify(seen)).not.toMatch(/secret|sk_live|whsec/)
  })

  test('an owner is created and verified by the bank', async () => {
    owner = await network.owner(platform)
    const bank_account = newBankAccount()
    confidential.push(bank_account)
    const result = await api.ok(routes.submitKyc, {
      params: { owner_id: owner.id },
      headers: platform.headers,
      body: { bank_account, bank_ifsc: 'HDFC0001234' },
    })
    expect(result).toMatchObject({
      kyc_status: 'verified',
      tier: 'tier1',
      reason: null,
      name_match_score: 100,
    })
    expect(result.bank_account_last4).toBe(bank_account.slice(-4))
    expect(result.pan).toMatch(/^[A-Z]{3}x{5}\d[A-Z]$/)
    expect(JSON.stringify(result)).not.toContain(bank_account)
  })

  test('two agents get a wallet, a vendor id and a key that is shown once', async () => {
    buyer = await network.agent(owner, { name: 'Research Agent' })
    seller = await network.agent(owner, { name: 'Translation Agent' })
    const me = await api.ok(routes.getCurrentAgent, { headers: buyer.headers })
    expect(me).toMatchObject({ agent_id: buyer.id, status: 'active', tier: 'tier1', name: 'Research Agent' })
    expect(me).not.toHaveProperty('vendor_id')
    expect(me.key_last4).toBe(buyer.key.slice(-4))
    const theirs = await api.ok(routes.getAgent, {
      params: { agent_id: buyer.id },
      headers: platform.headers,
    })
    expect(theirs.vendor_id).toMatch(new RegExp(`^vendor_[A-Z]{5}\\d{4}[A-Z]_${buyer.id}$`))
    expect(JSON.stringify([me, theirs])).not.toContain(buyer.key)
  })

  test('any caller can check whether a handle is free and whether an agent exists', async () => {
    const taken = await api.ok(routes.getHandleAvailability, {
      params: { handle: `@${buyer.handle.toUpperCase()}` },
    })
    expect(taken).toEqual({ handle: buyer.handle, available: false, reason: 'taken' })
    for (const name of [buyer.id, buyer.handle, `@${buyer.handle}`]) {
      const found = await api.ok(routes.getAgentExistence, { params: { agent_id: name } })
      expect(found).toEqual({
        exists: true,
        agent_id: buyer.id,
        handle: buyer.handle,
        name: 'Research Agent',
        status: 'active',
      })
    }
  })
})

describe('a human funds a wallet', () => {
  let session: ResponseOf<typeof routes.createFunding>

  test('a payment session is opened, and its checkout page is served', async () => {
    session = await api.ok(routes.createFunding, {
      params: { agent_id: buyer.id },
      headers: buyer.headers,
      body: { amount: 1000 },
    })
    expect(session).toMatchObject({
      status: 'pending',
      amount: 1000,
      method: 'link',
      order_id: session.funding_id,
    })
    expect(session.checkout_url).toBe(
      `${service.address.replace('127.0.0.1', 'localhost')}/checkout/${session.payment_session_id}`,
    )
    const page = await fetch(session.checkout_url)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    const html = await page.text()
    expect(html).toContain(buyer.handle)
    expect(html).toMatch(/1,?000(?:\.00)?/)
  })

  test('the wallet is credited with the amount less 2.5 % once the session is paid', async () => {
    expect(await network.balance(buyer)).toEqual({ available: 0, total_funded: 0, total_spent: 0 })
    await api.ok(routes.completeSandboxPayment, {
      params: { payment_session_id: session.payment_session_id },
      body: { outcome: 'success', method: 'card' },
    })
    const funding = await api.ok(routes.getFunding, {
      params: { agent_id: buyer.id, funding_id: session.funding_id },
      headers: platform.headers,
    })
    expect(funding).toMatchObject({
      status: 'completed',
      paid_method: 'card',
      amount: 1000,
      fee: 25,
      net_amount: 975,
    })
    expect(await network.balance(buyer)).toEqual({ available: 975, total_funded: 975, total_spent: 0 })
  })
})

describe('a human pays by UPI collect', () => {
  test('the UPI id is sent only to the gateway', async () => {
    const upi_id = 'asharao.personal@examplebank'
    confidential.push('asharao.personal')
    const asked = await api.ok(routes.createUpiCollect, {
      params: { agent_id: buyer.id },
      headers: buyer.headers,
      body: { amount: 150, upi_id },
    })
    expect(asked).toMatchObject({
      status: 'pending',
      amount: 150,
      order_id: asked.funding_id,
      qr: asked.upi_intent,
    })
    expect(JSON.stringify(asked)).not.toContain('asharao.personal')
    const params = { payment_session_id: asked.payment_session_id }
    await api.ok(routes.completeSandboxPayment, { params, body: { outcome: 'failure' } })
    expect((await network.balance(buyer)).available).toBe(975)
  })
})

describe('an agent pays an agent', () => {
  let payment: ResponseOf<typeof routes.pay>
  const paid = { amount: 400, reference: 'invoice-2041', note: 'Translation of 12 pages\nfirst draft' }
  const key = 'order-7f3a'

  test('the payer is debited the amount and the fee, the payee is credited the amount', async () => {
    payment = await api.ok(routes.pay, {
      params: { agent_id: buyer.id },
      headers: buyer.headers,
      body: { to: `@${seller.handle.toUpperCase()}`, ...paid, idempotency_key: key },
    })
    expect(payment).toMatchObject({ status: 'completed', cost: 2, from_balance: 573 })
    expect(await network.balance(buyer)).toEqual({ available: 573, total_funded: 975, total_spent: 402 })
    expect(await network.balance(seller)).toEqual({ available: 400, total_funded: 400, total_spent: 0 })
  })

  test('a repeated key is refused with the id of the payment', async () => {
    const error = await api.refused(routes.pay, 409, 'idempotency_error', {
      params: { agent_id: buyer.id },
      headers: buyer.headers,
      body: { to: seller.id, ...paid, idempotency_key: key },
    })
    expect(error.details).toEqual({ payment_id: payment.payment_id, status: 'completed', same_request: true })
    expect((await network.balance(buyer)).available).toBe(573)
  })

  test('a client without a response finds the payment by its id, its key and its reference', async () => {
    const sides = { from: buyer.id, to: seller.id }
    const terms = { amount: 400, refunded_total: 0, reference: paid.reference, context: null }
    const whole = { ...payment, ...sides, ...terms }
    const params = { agent_id: buyer.id }
    const { headers } = buyer
    const payment_id = payment.payment_id ?? ''
    expect(await api.ok(routes.getPayment, { params: { ...params, payment_id }, headers })).toEqual(whole)
    for (const query of [{ idempotency_key: key }, { reference: paid.reference }]) {
      const found = await api.ok(routes.listPayments, { params, headers, query })
      expect(found).toEqual({ payments: [whole], pagination: { total: 1, limit: 20, offset: 0 } })
    }
    const none = await api.ok(routes.listPayments, {
      params,
      headers,
      query: { idempotency_key: 'never-used' },
    })
    expect(none.payments).toEqual([])
  })

  test('both statements show the payment from their own side', async () => {
    const common = {
      status: 'completed',
      reference: paid.reference,
      note: paid.note,
      payment_id: payment.payment_id,
    }
    const out = await api.ok(routes.listTransactions, {
      params: { agent_id: buyer.id },
      headers: buyer.headers,
    })
    expect(out.transactions[0]).toEqual({
      ...common,
      id: payment.transaction_id,
      type: 'pay_out',
      amount: 400,
      fee: 2,
      net_amount: 402,
      counterparty_type: 'agent',
      counterparty_id: seller.id,
      counterparty_name: 'Translation Agent',
      agent_name: 'Research Agent',
      created_at: payment.created_at,
    })
    expect(out.transactions[1]).toMatchObject({ type: 'fund', status: 'failed', amount: 150 })
    expect(out.transactions[2]).toMatchObject({
      type: 'fund',
      amount: 1000,
      fee: 25,
      net_amount: 975,
      counterparty_id: null,
      counterparty_name: null,
      status: 'completed',
    })
    expect(out.pagination.total).toBe(3)
    const into = await api.ok(routes.listTransactions, {
      params: { agent_id: seller.id },
      headers: platform.headers,
    })
    expect(into.transactions).toEqual([
      {
        ...common,
        id: expect.stringMatching(/^txn_/),
        type: 'pay_in',
        amount: 400,
        fee: 0,
        net_amount: 400,
        counterparty_type: 'agent',
        counterparty_id: buyer.id,
        counterparty_name: 'Research Agent',
        agent_name: 'Translation Agent',
        created_at: payment.created_at,
      },
    ])
    expect(into.transactions[0]?.id).not.toBe(payment.transaction_id)
  })

  test('the receipt verifies with the published keys alone', async () => {
    const receipt = await api.ok(routes.getReceipt, {
      params: { receipt_id: payment.receipt_id ?? '' },
      headers: seller.headers,
    })
    const { signature, token, ...content } = receipt
    expect(content).toMatchObject({
      payment_id: payment.payment_id,
      from: buyer.id,
      from_handle: buyer.handle,
      to: seller.id,
      to_handle: seller.handle,
      amount: 400,
      fee: 2,
      currency: 'INR',
      reference: paid.reference,
      note: paid.note,
      created_at: payment.created_at,
      issuer: 'batua',
    })
    const keys = await api.ok(routes.getServiceKeys)
    const raw = keys.keys.find(one => one.key_id === content.key_id)?.public_key ?? ''
    expect(keys).toMatchObject({
      platform: 'batua',
      algorithm: 'Ed25519',
      public_key: raw,
      key_id: content.key_id,
    })
    expect(isSignedBy(raw, content, signature)).toBe(true)
    expect(isSignedBy(raw, { ...content, amount: 4000 }, signature)).toBe(false)

    const jwks = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.address))
    const { payload, protectedHeader } = await jwtVerify(token ?? '', jwks, {
      issuer: 'batua',
      algorithms: ['EdDSA'],
    })
    expect(payload).toMatchObject(content)
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', kid: content.key_id })
    expect(
      await api.ok(routes.getReceipt, {
        params: { receipt_id: payment.payment_id ?? '' },
        headers: buyer.headers,
      }),
    ).toEqual(receipt)
  })

  test('a stranger may verify the receipt, but does not see its texts', async () => {
    const stranger = await network.platform()
    const { valid, reason, receipt } = await api.ok(routes.verifyReceipt, {
      params: { receipt_id: payment.receipt_id ?? '' },
      headers: stranger.headers,
    })
    expect({ valid, reason }).toEqual({ valid: true, reason: 'ok' })
    expect(receipt).toMatchObject({ amount: 400, from: buyer.id, reference: null, note: null, token: null })
    const params = { receipt_id: payment.receipt_id ?? '' }
    await api.refused(routes.getReceipt, 404, 'not_found', { params, headers: stranger.headers })
  })

  test('the payee verifies the payment, uses the nonce once, and refunds it in parts up to its amount', async () => {
    const params = { txn_id: payment.payment_id ?? '' }
    const query = { expected_payee: seller.handle, expected_amount: 400, nonce: paid.reference }
    const verify = (more: Record<string, string | boolean> = {}) =>
      api.ok(routes.verifyTransaction, { params, headers: seller.headers, query: { ...query, ...more } })
    const verified = {
      verified: true,
      transaction_id: payment.payment_id,
      from: buyer.id,
      to: seller.id,
      amount: '400.00',
      refunded: '0.00',
      asset: 'INR',
      created_at: payment.created_at,
    }
    expect(await verify()).toEqual(verified)
    expect(await verify({ consume: true, consume_id: 'once' })).toEqual(verified)
    expect(await verify({ consume: true, consume_id: 'once' })).toEqual(verified)
    expect(await verify({ consume: true, consume_id: 'twice' })).toMatchObject({
      verified: false,
      reason: 'nonce_already_used',
    })

    const refund = (body: { amount?: number; idempotency_key?: string }) => ({
      params: { payment_id: payment.payment_id ?? '' },
      headers: seller.headers,
      body,
    })
    const first = await api.ok(routes.refundPayment, refund({ amount: 100, idempotency_key: 'refund-1' }))
    expect(first).toMatchObject({ payment_id: payment.payment_id, amount: 100, refunded_total: 100 })
    await api.refused(routes.refundPayment, 409, 'conflict', refund({ amount: 300.01 }))
    await api.refused(routes.refundPayment, 409, 'idempotency_error', refund({ idempotency_key: 'refund-1' }))
    expect(await api.ok(routes.refundPayment, refund({}))).toMatchObject({ amount: 300, refunded_total: 400 })
    await api.refused(routes.refundPayment, 409, 'conflict', refund({}))
    const refunded = await api.ok(routes.getPayment, {
      params: { agent_id: buyer.id, payment_id: payment.payment_id ?? '' },
      headers: buyer.headers,
    })
    expect(refunded.refunded_total).toBe(400)
    expect(await network.balance(seller)).toEqual({ available: 0, total_funded: 400, total_spent: 400 })
    expect(await network.balance(buyer)).toEqual({ available: 973, total_funded: 1375, total_spent: 402 })
  })
})

describe('an agent pays per call', () => {
  let shop: Seller

  beforeAll(async () => {
    shop = await openSeller(service.address, seller, { price: '12.50' })
  })
  afterAll(() => shop.close())

  test('a client that gets a 402 pays and gets the resource, and each nonce counts once', async () => {
    const asked = await fetch(shop.address)
    expect(asked.status).toBe(402)
    const challenge = shop.challengeIn(asked)
    const payment = await network.pay(buyer, seller, Number(challenge.amount), {
      reference: challenge.nonce,
      unique_reference: true,
      idempotency_key: challenge.nonce,
    })
    const proof = shop.proofOf(payment.payment_id ?? '', buyer.id, challenge.nonce)
    const served = await fetch(shop.address, { headers: proof })
    expect([served.status, await served.text()]).toEqual([200, 'the paid response'])
    expect((await fetch(shop.address, { headers: proof })).status).toBe(402)
    await api.refused(routes.pay, 409, 'conflict', {
      params: { agent_id: buyer.id },
      headers: buyer.headers,
      body: { to: seller.id, amount: 12.5, reference: challenge.nonce, unique_reference: true },
    })
  })
})

describe('after the whole story', () => {
  test('every response was documented in openapi.json', async () => {
    const document: unknown = await (await fetch(`${service.address}/openapi.json`)).json()
    expect(api.exchanges.length).toBeGreaterThan(40)
    expect(faultsInDocument(document, api.exchanges)).toEqual([])
  })

  test('the log has no secret and no personal data', async () => {
    expect(await service.stop()).toBe(0)
    await service.start()
    const output = service.output()
    const found = [...confidential, ...network.confidential].filter(text => output.includes(text))
    expect(output.split('\n').length).toBeGreaterThan(40)
    expect(found).toEqual([])
  })
})

/** Verifies Ed25519 over canonical JSON (RFC 8785) with only Node's cryptography. */
function isSignedBy(rawPublicKey: string, content: object, signature: string): boolean {
  const x = Buffer.from(rawPublicKey, 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verifySignature(
    null,
    Buffer.from(canonicalize(content) ?? ''),
    key,
    Buffer.from(signature, 'base64'),
  )
}
