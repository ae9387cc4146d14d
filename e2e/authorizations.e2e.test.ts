import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type BodyOf, type ResponseOf, routes } from '@batua/contract'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  platform = await network.platform()
  owner = await network.owner(platform)
  payer = await network.fundedAgent(owner)
  payee = await network.agent(await network.owner(await network.platform()))
})

type Authorization = ResponseOf<typeof routes.getAuthorization>
type Capture = BodyOf<typeof routes.captureAuthorization>

const ofPayer = () => ({ params: { agent_id: payer.id }, headers: payer.headers })
const params = ({ authorization_id }: { readonly authorization_id: string | null }) => ({
  authorization_id: authorization_id ?? '',
})
const authorize = (body: Partial<BodyOf<typeof routes.authorize>> = {}) =>
  api.ok(routes.authorize, { ...ofPayer(), body: { to: payee.handle, amount: 200, ...body } })
const capture = (authorization: { authorization_id: string | null }, body: Capture) =>
  api.ok(routes.captureAuthorization, { params: params(authorization), headers: payee.headers, body })
const refusedCapture = (
  authorization: { authorization_id: string | null },
  body: Capture,
  [status, code]: readonly [number, 'conflict' | 'validation_error' | 'policy_denied'],
) =>
  api.refused(routes.captureAuthorization, status, code, {
    ...{ params: params(authorization), headers: payee.headers, body },
  })
const see = (authorization: { authorization_id: string | null }): Promise<Authorization> =>
  api.ok(routes.getAuthorization, { params: params(authorization), headers: payer.headers })
const wait = (advance_seconds: number) => api.ok(routes.advanceClock, { body: { advance_seconds } })

async function lines(agent: Agent) {
  const { transactions } = await api.ok(routes.listTransactions, {
    ...{ params: { agent_id: agent.id }, headers: agent.headers },
  })
  return transactions.map(({ type, amount, fee, net_amount, status, counterparty_id }) => ({
    ...{ type, amount, fee, net_amount, status, counterparty_id },
  }))
}

describe('an authorization', () => {
  test('is captured in parts with receipts, and charges one fee at the end', async () => {
    const context = { purpose: 'The weather of each hour' }
    const made = await authorize({ reference: 'session-9', context })
    expect(made).toMatchObject({
      ...{ agent_id: payer.id, to_agent_id: payee.id, amount: 200, fee_reserved: 1, fee: 0, captured: 0 },
      ...{ remaining: 200, status: 'open', closes_at: null, reference: 'session-9', voucher_key: null },
    })
    // Why it is spent is shown to the payer’s side alone.
    expect(await see(made)).toEqual({ ...made, context })
    const byPayee = { params: params(made), headers: payee.headers }
    expect(await api.ok(routes.getAuthorization, byPayee)).toEqual(made)
    expect((await network.balance(payer)).available).toBe(774)
    const first = await capture(made, { total: 20 })
    await capture(made, { amount: 30 })
    expect(await capture(made, { total: 50 })).toMatchObject({ captured_now: 0, payment_id: null })
    const receipt = await api.ok(routes.getReceipt, {
      ...{ params: { receipt_id: first.receipt_id ?? '' }, headers: payer.headers },
    })
    expect(receipt).toMatchObject({
      from: payer.id,
      to: payee.id,
      amount: 20,
      fee: 0,
      reference: null,
    })
    const verify = (query: object) =>
      api.ok(routes.verifyTransaction, {
        params: { txn_id: first.payment_id ?? '' },
        query: { expected_payee: payee.id, expected_amount: 20, ...query },
        headers: payee.headers,
      })
    expect(await verify({})).toMatchObject({
      ...{ verified: true, from: payer.id, to: payee.id, amount: '20.00' },
    })
    // The buyer chose the reference: it may be the nonce of a price that the capture was not paid for.
    const asNonce = { nonce: 'session-9', consume: true, consume_id: 'attack' }
    expect(await verify(asNonce)).toMatchObject({ verified: false, reason: 'nonce_mismatch' })
    const unpaid = await api.ok(routes.verifyTransaction, {
      ...{ params: { txn_id: made.transaction_id ?? '' }, query: {}, headers: payee.headers },
    })
    expect(unpaid).toMatchObject({ verified: false, reason: 'transaction_not_completed' })
    expect(await lines(payer)).toMatchObject([
      { type: 'pay_out', amount: 200, fee: 1, net_amount: 201, status: 'pending', counterparty_id: payee.id },
      { type: 'fund' },
    ])
    const closed = await api.ok(routes.closeAuthorization, { params: params(made), headers: payee.headers })
    expect(closed).toMatchObject({ status: 'closed', captured: 50, fee: 1, remaining: 0 })
    expect(await network.balance(payer)).toMatchObject({ available: 924, total_spent: 51 })
    expect(await lines(payer)).toMatchObject([
      { type: 'pay_out', amount: 50, fee: 1, net_amount: 51, status: 'completed' },
      { type: 'fund' },
    ])
    expect(await lines(payee)).toMatchObject([
      { type: 'pay_in', amount: 30, status: 'completed', counterparty_id: payer.id },
      { type: 'pay_in', amount: 20 },
    ])
    const statement = await api.ok(routes.getStatement, { ...ofPayer(), query: { format: 'json' } })
    expect(statement).toMatchObject({ opening_balance: 0, closing_balance: 924 })
    expect(statement.lines.map(({ change, status }) => [change, status])).toEqual([
      [975, 'completed'],
      [-201, 'completed'],
      [150, 'completed'],
    ])
  })

  test('without a capture is shown as reversed in the statement', async () => {
    const made = await authorize()
    const voided = await api.ok(routes.voidAuthorization, { params: params(made), headers: payee.headers })
    expect(voided).toMatchObject({ status: 'voided', fee: 0 })
    expect(await lines(payer)).toMatchObject([
      { type: 'pay_out', amount: 200, fee: 1, status: 'reversed' },
      { type: 'fund' },
    ])
    expect(await network.balance(payer)).toMatchObject({ available: 975, total_spent: 0 })
  })

  test('expires by itself, closes for ten minutes, and gives the rest back within five seconds', async () => {
    const made = await authorize({ expires_in: 60 })
    await wait(61)
    const closing = await see(made)
    expect(closing.status).toBe('closing')
    expect(Date.parse(closing.closes_at ?? '')).toBe(Date.parse(made.expires_at ?? '') + 600_000)
    await capture(made, { amount: 0.5 })
    await wait(599)
    expect(await see(made)).toMatchObject({ status: 'closed', captured: 0.5, fee: 1 })
    expect((await network.balance(payer)).available).toBe(973.5)
  })

  test.each(['expiry', 'close'] as const)(
    'gives the rest back within five seconds that really pass, after its %s',
    async end => {
      const made = await authorize({ expires_in: 60 })
      if (end === 'close')
        await api.ok(routes.closeAuthorization, { params: params(made), headers: payer.headers })
      else await wait(61)
      await capture(made, { amount: 50 })
      const { closes_at } = await see(made)
      const closesAt = Date.parse(closes_at ?? '')
      const { now } = await wait(0)
      expect(await network.balance(payer)).toMatchObject({ available: 774 })
      // The service's clock is moved until a second before the end, and from then on only time moves it.
      const sentAt = Date.now()
      const early = await wait(Math.floor((closesAt - Date.parse(now)) / 1_000) - 1)
      // The service read its clock between the request and the response, which may be seconds apart.
      const [least, most] = [Date.parse(early.now) - Date.now(), Date.parse(early.now) - sentAt]
      // On a busy machine a response takes seconds too, and so does the work that it waits for.
      let slowestMs = 0
      const available = async () => {
        const askedMs = performance.now()
        const balance = await network.balance(payer)
        slowestMs = Math.max(slowestMs, performance.now() - askedMs)
        return balance.available
      }
      await expect.poll(available, { timeout: 30_000, interval: 50 }).toBe(924)
      const seenAt = Date.now()
      expect(seenAt + most).toBeGreaterThanOrEqual(closesAt)
      expect(seenAt + least - closesAt).toBeLessThan(5_000 + 10 * slowestMs)
    },
  )

  test('is refunded to the wallet, and what was captured stays', async () => {
    const made = await authorize()
    const { payment_id } = await capture(made, { total: 20 })
    await api.ok(routes.refundPayment, {
      ...{ params: { payment_id: payment_id ?? '' }, headers: payee.headers, body: { amount: 5 } },
    })
    expect(await see(made)).toMatchObject({ captured: 20, remaining: 180 })
    expect((await network.balance(payer)).available).toBe(779)
    const looked = await api.ok(routes.getPayment, {
      ...{ params: { agent_id: payer.id, payment_id: payment_id ?? '' }, headers: payer.headers },
    })
    expect(looked).toMatchObject({ from: payer.id, to: payee.id, amount: 20, cost: 0, refunded_total: 5 })
  })

  test('is visible to both sides, and nobody else learns that it exists', async () => {
    const made = await authorize()
    const stranger = await network.agent(await network.owner(await network.platform()))
    const call = { params: params(made) }
    const ownerHeaders = await network.login(owner)
    for (const headers of [payer.headers, payee.headers, platform.headers, ownerHeaders])
      expect((await api.ok(routes.getAuthorization, { ...call, headers })).authorization_id).toBe(
        made.authorization_id,
      )
    const { headers } = stranger
    await api.refused(routes.getAuthorization, 404, 'not_found', { ...call, headers })
    await api.refused(routes.captureAuthorization, 404, 'not_found', { ...call, headers, body: { total: 1 } })
    await api.refused(routes.voidAuthorization, 403, 'authorization_error', {
      ...call,
      headers: payer.headers,
    })
    const listed = await api.ok(routes.listAuthorizations, { ...ofPayer(), query: { status: 'open' } })
    expect(listed.authorizations.map(each => each.authorization_id)).toEqual([made.authorization_id])
  })
})

describe('a stop', () => {
  const closesBy = async (act: () => Promise<unknown>) => {
    const made = await authorize()
    await wait(1)
    await act()
    const closing = await see(made)
    expect(closing).toMatchObject({ status: 'closing', closes_at: expect.any(String) })
    await capture(made, { total: 5 })
    await wait(601)
    expect(await see(made)).toMatchObject({ status: 'closed', captured: 5, closes_at: null })
  }

  test('by a pause of the payer or the owner’s emergency stop starts the closing at once', async () => {
    const byPlatform = { params: { agent_id: payer.id }, headers: platform.headers }
    await closesBy(() => api.ok(routes.pauseAgent, byPlatform))
    await api.ok(routes.resumeAgent, byPlatform)
    const headers = await network.login(owner)
    await closesBy(() => api.ok(routes.pauseAllAgents, { headers }))
  })

  test('by the payer’s payee list starts the closing', async () => {
    await closesBy(async () => {
      await api.ok(routes.updateAgent, {
        ...{ params: { agent_id: payer.id }, headers: platform.headers },
        body: { blocked_payee_agents: [payee.id] },
      })
      await wait(2)
    })
  })

  test('by a freeze refuses captures, and the grace continues when the payer is restored', async () => {
    const made = await authorize({ expires_in: 60 })
    const headers = await network.admin()
    const freeze = { headers, body: { agent_ids: [payer.id] } }
    await api.ok(routes.bulkFreezeAgents, freeze)
    await refusedCapture(made, { total: 5 }, [403, 'policy_denied'])
    await wait(3_000)
    expect(await see(made)).toMatchObject({ status: 'closing', closes_at: null })
    await api.ok(routes.bulkRestoreAgents, {
      headers: await network.admin(),
      body: { agent_ids: [payer.id] },
    })
    await capture(made, { total: 5 })
    await wait(590)
    expect(await see(made)).toMatchObject({ status: 'closing' })
    await wait(20)
    expect(await see(made)).toMatchObject({ status: 'closed', captured: 5 })
  })

  test('of the payee refuses its captures, and its deactivation ends the authorization', async () => {
    const made = await authorize()
    const [headers, body] = [await network.admin(), { agent_ids: [payee.id] }]
    await api.ok(routes.bulkQuarantineAgents, { headers, body })
    const refused = await refusedCapture(made, { total: 5 }, [403, 'policy_denied'])
    expect(refused.message).toBe('Agent is quarantined')
    await api.ok(routes.bulkRestoreAgents, { headers, body })
    await capture(made, { total: 5 })
    await api.ok(routes.deactivateAgent, {
      params: { agent_id: payee.id },
      headers: payee.owner.platform.headers,
    })
    await wait(2)
    expect(await see(made)).toMatchObject({ status: 'closed', captured: 5 })
  })
})

describe('an approval', () => {
  test('of an authorization opens it when the owner approves, for the whole time', async () => {
    payer = await network.fundedAgent(owner, { require_human_approval_above: 100 })
    const asked = await api.send(routes.authorize, {
      ...ofPayer(),
      body: { to: payee.id, amount: 200, expires_in: 3_600 },
    })
    expect(asked.status).toBe(200)
    const waiting = asked.body as { approval_id: string }
    expect(waiting).toMatchObject({ authorization_id: null, status: 'pending_approval', token: null })
    await wait(600)
    const headers = await network.login(owner)
    const call = { params: { approval_id: waiting.approval_id }, headers }
    expect(await api.ok(routes.getApproval, call)).toMatchObject({
      ...{
        kind: 'authorization',
        to: payee.id,
        amount: 200,
        fee: 1,
        expires_in: 3_600,
        authorization_id: null,
      },
    })
    const approved = await api.ok(routes.approve, { ...call, body: {} })
    const { authorization } = approved
    expect(authorization).toMatchObject({ status: 'open', amount: 200, agent_id: payer.id })
    expect(approved.authorization_id).toBe(authorization?.authorization_id)
    const { created_at = '', expires_at = '' } = authorization ?? {}
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3_600_000)
    await capture({ authorization_id: approved.authorization_id }, { total: 5 })
  })

  test('is not needed for what an allowance covers', async () => {
    payer = await network.fundedAgent(owner, { require_human_approval_above: 100 })
    const headers = await network.login(owner)
    const { now } = await wait(1)
    const until = new Date(Date.parse(now) + 3_600_000).toISOString()
    await api.ok(routes.createAllowance, {
      headers,
      body: { agent_id: payer.id, to: payee.id, amount: 250, until },
    })
    expect((await authorize({ amount: 200 })).status).toBe('open')
    const { allowances } = await api.ok(routes.listAllowances, { headers })
    expect(allowances).toMatchObject([{ used: 200 }])
  })
})

describe('the token', () => {
  test('verifies with any JOSE library, and has the terms', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const { x } = publicKey.export({ format: 'jwk' })
    const voucher_key = Buffer.from(x ?? '', 'base64url').toString('base64')
    const made = await authorize({ amount: 12.5, voucher_key })
    const keys = createRemoteJWKSet(new URL(`${api.address}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(made.token ?? '', keys, {
      ...{ typ: 'authorization+jwt', algorithms: ['EdDSA'], audience: payee.id, subject: payer.id },
      currentDate: new Date(made.created_at),
    })
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'authorization+jwt', kid: expect.any(String) })
    expect(payload).toEqual({
      ...{ iss: 'batua', jti: made.authorization_id, sub: payer.id, aud: payee.id },
      ...{ amount: '12.50', currency: 'INR', cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x } } },
      iat: Math.floor(Date.parse(made.created_at) / 1_000),
      exp: Math.floor(Date.parse(made.expires_at ?? '') / 1_000),
    })
  })
})

describe('vouchers', () => {
  const HEADER = '{"alg":"EdDSA","typ":"voucher+jwt"}'
  const encode = (text: string | Buffer) => Buffer.from(text).toString('base64url')
  let key: KeyObject
  let made: { authorization_id: string | null }

  beforeEach(async () => {
    const pair = generateKeyPairSync('ed25519')
    key = pair.privateKey
    const x = pair.publicKey.export({ format: 'jwk' }).x ?? ''
    made = await authorize({ voucher_key: Buffer.from(x, 'base64url').toString('base64') })
  })

  const signed = (payload: string, header = HEADER) => {
    const input = `${encode(header)}.${encode(payload)}`
    return `${input}.${encode(sign(null, Buffer.from(input), key))}`
  }
  const payloadOf = (amount: string, nonce = 'n-1') =>
    JSON.stringify({ jti: made.authorization_id, amount, nonce })

  test('are captured by their cumulative amount, in any order, each paisa once', async () => {
    expect(await capture(made, { voucher: signed(payloadOf('5.00')) })).toMatchObject({ captured_now: 5 })
    expect(await capture(made, { voucher: signed(payloadOf('12.50', 'n-3')) })).toMatchObject({
      captured_now: 7.5,
    })
    expect(await capture(made, { voucher: signed(payloadOf('9.00', 'n-2')) })).toMatchObject({
      ...{ captured_now: 0, captured: 12.5, payment_id: null },
    })
    const less = { voucher: signed(payloadOf('30.00', 'n-4')), total: 20 }
    expect(await capture(made, less)).toMatchObject({ captured: 20, captured_now: 7.5 })
    await refusedCapture(made, { ...less, total: 30.01 }, [400, 'validation_error'])
    await refusedCapture(made, { total: 21 }, [409, 'conflict'])
    await refusedCapture(made, { amount: 1 }, [409, 'conflict'])
    await refusedCapture(made, { voucher: signed(payloadOf('200.01')) }, [409, 'conflict'])
    expect(await capture(made, { voucher: signed(payloadOf('200.00')), final: true })).toMatchObject({
      ...{ captured: 200, status: 'closed', remaining: 0 },
    })
  })

  test('in any other form are refused', async () => {
    const good = signed(payloadOf('5.00'))
    const [header = '', payload = '', signature = ''] = good.split('.')
    const other = generateKeyPairSync('ed25519').privateKey
    const id = made.authorization_id ?? ''
    const hostile: Record<string, string> = {
      'another key': `${header}.${payload}.${encode(sign(null, Buffer.from(`${header}.${payload}`), other))}`,
      'another payload': `${header}.${encode(payloadOf('6.00'))}.${signature}`,
      'a header with alg none': signed(payloadOf('5.00'), '{"alg":"none","typ":"voucher+jwt"}'),
      'a header with a kid': signed(payloadOf('5.00'), '{"alg":"EdDSA","typ":"voucher+jwt","kid":"a"}'),
      'a header in another order': signed(payloadOf('5.00'), '{"typ":"voucher+jwt","alg":"EdDSA"}'),
      'a header with spaces': signed(payloadOf('5.00'), '{"alg": "EdDSA", "typ": "voucher+jwt"}'),
      'an amount as a number': signed(`{"jti":"${id}","amount":5,"nonce":"n-1"}`),
      'an amount with one decimal': signed(payloadOf('5.0')),
      'an amount with a leading zero': signed(payloadOf('05.00')),
      'an amount with a sign': signed(payloadOf('-5.00')),
      'an amount with an exponent': signed(payloadOf('5e2.00')),
      'a repeated name': signed(`{"jti":"${id}","amount":"1.00","amount":"5.00","nonce":"n-1"}`),
      'a repeated name that agrees': signed(`{"jti":"${id}","amount":"5.00","amount":"5.00","nonce":"n-1"}`),
      'a further name': signed(`{"jti":"${id}","amount":"5.00","nonce":"n-1","more":"x"}`),
      'no nonce': signed(`{"jti":"${id}","amount":"5.00"}`),
      spaces: signed(`{"jti": "${id}","amount":"5.00","nonce":"n-1"}`),
      'another authorization': signed(
        '{"jti":"ath_01kb7q3f8meg5tz4x9wc2n6a01","amount":"5.00","nonce":"n-1"}',
      ),
      'an array': signed(`["${id}","5.00","n-1"]`),
      'no JSON': signed('5.00'),
      'a fourth part': `${good}.${signature}`,
      'padded base64': `${header}.${payload}.${signature}==`,
      'a longer signature': `${header}.${payload}.${signature}AAAA`,
      'a scalar above the order of the group': `${header}.${payload}.${encode(unreduced(signature))}`,
    }
    for (const [what, voucher] of Object.entries(hostile)) {
      const reply = await api.send(routes.captureAuthorization, {
        ...{ params: params(made), headers: payee.headers, body: { voucher } },
      })
      expect([what, reply.status]).toEqual([what, 400])
      expect([what, (reply.body as { error: { field: string } }).error.field]).toEqual([what, 'voucher'])
    }
    expect(await see(made)).toMatchObject({ captured: 0 })
    await capture(made, { voucher: good })
  })

  test('need a sound key: no point of small order, no other encoding, no other length', async () => {
    const hex = (text: string) => Buffer.from(text, 'hex').toString('base64')
    const unsound = [
      hex('00'.repeat(32)),
      hex(`01${'00'.repeat(31)}`),
      hex(`ec${'ff'.repeat(30)}7f`),
      hex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
      hex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
      // The same point as 1, whose encoding is not reduced.
      hex(`ee${'ff'.repeat(30)}7f`),
      hex('ff'.repeat(32)),
      // No point of the curve.
      hex(`02${'00'.repeat(31)}`),
    ]
    for (const voucher_key of unsound) {
      const error = await api.refused(routes.authorize, 400, 'validation_error', {
        ...ofPayer(),
        body: { to: payee.id, amount: 1, voucher_key },
      })
      expect(error.field).toBe('voucher_key')
    }
    for (const voucher_key of ['', 'AAAA', `${createHash('sha256').digest('base64')}=`]) {
      await api.refused(routes.authorize, 400, 'validation_error', {
        ...ofPayer(),
        body: { to: payee.id, amount: 1, voucher_key },
      })
    }
  })

  test('are refused where the authorization names no key', async () => {
    const without = await authorize({ amount: 20 })
    await refusedCapture(without, { voucher: signed(payloadOf('5.00')) }, [409, 'conflict'])
  })
})

/** The signature with the order of the group added to its scalar: it verifies where nobody checks that. */
function unreduced(signature: string): Buffer {
  const bytes = Buffer.from(signature, 'base64url')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`) + order
  const text = scalar.toString(16).padStart(64, '0')
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(text, 'hex').toReversed()])
}
