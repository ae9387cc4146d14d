import { createHash, createPublicKey, verify } from 'node:crypto'
import { type BodyOf, type Evidence, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, CallOf, Headers } from './src/api.ts'
import { type Changes, newAuthenticator } from './src/authenticator.ts'
import { ADMIN_PHONES, logIn } from './src/log-in.ts'
import { type Agent, type Network, newBankAccount, type Owner } from './src/network.ts'
import {
  enrol,
  type Keyholder,
  okConfirmed,
  pageOf,
  sendConfirmed,
  stepUp,
  stepUpHeader,
} from './src/passkeys.ts'
import { type Stage, sharedStage } from './src/stage.ts'

const DAY_S = 86_400

let stage: Stage
let api: Api
let network: Network
let owner: Owner
let payer: Agent
let payee: Agent
let session: Headers

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())
beforeEach(async () => {
  owner = await network.owner(await network.platform())
  await network.verify(owner)
  payer = await network.agent(owner, { require_human_approval_above: 100 })
  payee = await network.agent(owner)
  await network.fund(payer, 1000)
  session = await network.login(owner)
})

async function ask(amount = 200): Promise<string> {
  const { approval_id = '' } = await network.pay(payer, payee, amount)
  return approval_id
}

const challenge = (approval_id: string, body: BodyOf<typeof routes.challengeApproval> = {}) =>
  api.ok(routes.challengeApproval, { params: { approval_id }, headers: session, body })

const approve = (approval_id: string, body: object, headers = session) =>
  api.send(routes.approve, { params: { approval_id }, headers, body })

/** Asks for a challenge, signs it and approves. */
async function approveWith({ authenticator }: Keyholder, approval_id: string, changes: Changes = {}) {
  const { challenge_id, options } = await challenge(approval_id)
  const response = authenticator.sign(options.challenge, changes)
  return approve(approval_id, { challenge_id, response })
}

const list = async (headers = session) => (await api.ok(routes.listPasskeys, { headers })).passkeys

const advance = (advance_seconds: number) => api.ok(routes.advanceClock, { body: { advance_seconds } })

const messages = async () =>
  (await api.ok(routes.getSandboxMessages, { params: { phone: owner.phone } })).messages.map(
    ({ text }) => text,
  )

describe('an approval by an owner with a passkey', () => {
  test('is signed over everything that she sees, and the signature is kept as evidence', async () => {
    const holder = await enrol(api, session)
    const approval_id = await ask()
    await api.refused(routes.approve, 403, 'passkey_required', { params: { approval_id }, headers: session })
    const reply = await approveWith(holder, approval_id)
    expect(reply).toMatchObject({
      status: 200,
      body: { status: 'approved', payment: { status: 'completed' } },
    })
    const { evidence } = await api.ok(routes.getApproval, { params: { approval_id }, headers: session })
    if (evidence === null) throw new Error('the approval has evidence')
    expect(reply.body).toMatchObject({ evidence })
    expect(JSON.parse(evidence.document)).toEqual({
      ...{
        approval_id,
        agent_id: payer.id,
        kind: 'payment',
        to: payee.id,
        amount: 200,
        fee: 1,
        currency: 'INR',
      },
      ...{ reference: null, context_sha256: null, allow: null, expires_at: expect.any(String) },
    })
    expect(isSigned(evidence)).toBe(true)
    expect(isSigned({ ...evidence, document: evidence.document.replace('200', '200.01') })).toBe(false)
    const { entries } = await api.ok(routes.listAuditEntries, {
      params: { agent_id: payer.id },
      headers: session,
      query: { limit: 20 },
    })
    expect(
      entries.find(({ target, action }) => target === approval_id && action === 'approval.approved')?.data,
    ).toMatchObject({ evidence })
  })

  test('is signed over the context and the allowance too', async () => {
    const holder = await enrol(api, session)
    const context = { purpose: 'Translation', items: [{ name: 'Page', quantity: 12, amount: 16 }] }
    const { approval_id = '' } = await network.pay(payer, payee, 200, { context })
    const until = new Date(Date.parse((await advance(1)).now) + 3_600_000).toISOString()
    const allow = { amount: 500, until }
    const { document, challenge_id, options } = await challenge(approval_id, { allow })
    const context_sha256 = sha256(
      '{"items":[{"amount":16,"name":"Page","quantity":12}],"purpose":"Translation"}',
    )
    expect(JSON.parse(document)).toMatchObject({ allow, context_sha256: context_sha256.toString('hex') })
    const signed = { challenge_id, response: holder.authenticator.sign(options.challenge) }
    for (const body of [signed, { ...signed, allow: { amount: 501, until } }]) {
      expect(await approve(approval_id, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'passkey_required' } },
      })
    }
    expect(await approve(approval_id, { ...signed, allow })).toMatchObject({
      status: 200,
      body: { allowance: { amount: 500 }, evidence: { document } },
    })
  })

  test.each<[string, Changes]>([
    ['of another origin', { origin: 'http://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['of another ceremony', { type: 'webauthn.create' }],
    ['of a device that did not verify the person', { isVerified: false }],
  ])('is refused with a response %s', async (_what, changes) => {
    const holder = await enrol(api, session)
    const approval_id = await ask()
    expect(await approveWith(holder, approval_id, changes)).toMatchObject({
      status: 403,
      body: { error: { code: 'passkey_required' } },
    })
    expect((await approveWith(holder, approval_id)).status).toBe(200)
  })

  test('accepts a challenge once, for five minutes, in its session, for its approval and its passkeys', async () => {
    const holder = await enrol(api, session)
    const [first, second] = [await ask(), await ask(210)]
    const sign = async (id: string) => {
      const { challenge_id, options } = await challenge(id)
      return { challenge_id, response: holder.authenticator.sign(options.challenge) }
    }
    const signed = await sign(first)
    const refused = { status: 403, body: { error: { code: 'passkey_required' } } }
    expect(await approve(second, signed)).toMatchObject(refused)
    const stranger = newAuthenticator(pageOf(api))
    const { challenge_id, options } = await challenge(second)
    expect(await approve(second, { challenge_id, response: stranger.sign(options.challenge) })).toMatchObject(
      refused,
    )
    await advance(31)
    expect(await approve(first, signed, await logIn(api, owner.phone, 'owner'))).toMatchObject(refused)
    expect((await approve(first, signed)).status).toBe(200)
    const late = await sign(second)
    await advance(301)
    expect(await approve(second, late)).toMatchObject(refused)
    expect((await approve(second, await sign(second))).status).toBe(200)
  })

  test('succeeds once if two use one challenge at the same time', async () => {
    const holder = await enrol(api, session)
    const body = { name: 'Renamed', spend_limit_daily: 90_000 }
    const call = { params: { agent_id: payer.id }, body }
    const signed = await stepUp(api, holder, routes.updateAgent, call)
    const headers = { ...session, ...stepUpHeader(signed) }
    const replies = await Promise.all([1, 2, 3].map(() => api.send(routes.updateAgent, { ...call, headers })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 403, 403])
  })

  test('needs the passkey, but rejecting, pausing and lowering limits do not', async () => {
    await enrol(api, session)
    const params = { approval_id: await ask() }
    await api.ok(routes.reject, { params, headers: session, body: {} })
    await api.ok(routes.pauseAgent, { params: { agent_id: payer.id }, headers: session })
    await api.ok(routes.updateOwnerPolicy, { headers: session, body: { spend_limit_daily: 10 } })
  })
})

describe('a step-up', () => {
  const refuses = async (route: Route, call: CallOf<Route>) => {
    await api.refused(route, 403, 'passkey_required', { ...call, headers: session })
  }

  test('is needed to raise a limit, also together with one that is lowered; the platform needs none', async () => {
    await api.ok(routes.updateOwnerPolicy, { headers: session, body: { spend_limit_daily: 100 } })
    const holder = await enrol(api, session)
    const raise = { body: { spend_limit_daily: 200, spend_limit_per_tx: 50 } }
    await refuses(routes.updateOwnerPolicy, raise)
    const { policy } = await api.ok(routes.getOwnerPolicy, { headers: session })
    expect(policy).toMatchObject({ spend_limit_daily: 100, spend_limit_per_tx: null })
    const raised = await okConfirmed(api, holder, routes.updateOwnerPolicy, raise)
    expect(raised.pending_policy).toMatchObject({ spend_limit_daily: { value: 200 } })
    const agent = { params: { agent_id: payer.id }, body: { require_human_approval_above: 150 } }
    await refuses(routes.updateAgent, agent)
    await api.ok(routes.updateAgent, { ...agent, headers: owner.platform.headers })
  })

  test('is needed to give an allowance and to change the bank account', async () => {
    const holder = await enrol(api, session)
    const until = new Date(Date.parse((await advance(1)).now) + 3_600_000).toISOString()
    const allowance = { body: { agent_id: payer.id, to: payee.id, amount: 50, until } }
    await refuses(routes.createAllowance, allowance)
    await okConfirmed(api, holder, routes.createAllowance, allowance)
    const account = {
      params: { owner_id: owner.id },
      body: { bank_account: newBankAccount(), bank_ifsc: 'HDFC0001234' },
    }
    await refuses(routes.submitKyc, account)
    await okConfirmed(api, holder, routes.submitKyc, account)
    await api.ok(routes.submitKyc, { ...account, headers: owner.platform.headers })
  })

  test('is needed by an administrator to restore and to change tiers, but not to stop anything', async () => {
    const admin = await logIn(api, ADMIN_PHONES.withPasskey, 'admin')
    const holder = await enrol(api, admin)
    const params = { owner_id: owner.id }
    await api.ok(routes.freezeOwner, { params, headers: admin })
    await api.ok(routes.bulkFreezeAgents, { body: { agent_ids: [payer.id] }, headers: admin })
    const calls: [Route, CallOf<Route>][] = [
      [routes.setOwnerTier, { params, body: { tier: 'tier2' } }],
      [routes.updateTier, { params: { tier: 'tier3' }, body: { per_tx: 90_000 } }],
      [routes.unfreezeOwner, { params }],
      [routes.bulkRestoreAgents, { body: { agent_ids: [payer.id] } }],
    ]
    for (const [route, call] of calls) {
      await api.refused(route, 403, 'passkey_required', { ...call, headers: admin })
      expect([route.operationId, (await sendConfirmed(api, holder, route, call)).status]).toEqual([
        route.operationId,
        200,
      ])
    }
  })

  test('is valid for the request that was signed and no other', async () => {
    const holder = await enrol(api, session)
    const call = { params: { agent_id: payer.id }, body: { require_human_approval_above: 150 } }
    const signed = await stepUp(api, holder, routes.updateAgent, call)
    const headers = { ...session, ...stepUpHeader(signed) }
    const others: CallOf<Route>[] = [
      { ...call, body: { require_human_approval_above: 151 } },
      { ...call, params: { agent_id: payee.id } },
    ]
    for (const other of others) {
      await api.refused(routes.updateAgent, 403, 'passkey_required', { ...other, headers })
    }
    await api.ok(routes.updateAgent, { ...call, headers })
    for (const header of ['', 'x', Buffer.from('{}').toString('base64')]) {
      const altered = { ...call, headers: { ...session, 'x-step-up': header } }
      await api.refused(routes.updateAgent, 400, 'validation_error', altered)
    }
  })

  test('is recorded with its evidence', async () => {
    const holder = await enrol(api, session)
    const call = { params: { agent_id: payer.id }, body: { require_human_approval_above: 150 } }
    await okConfirmed(api, holder, routes.updateAgent, call)
    const [entry] = await stage.database.query<{ data: { action: string; evidence: Evidence } }>(
      `select data::jsonb as data from audit_entries where action = 'passkey.used' and target = '${holder.passkeyId}'`,
    )
    if (entry === undefined) throw new Error('the use of the passkey was recorded')
    const { action, evidence } = entry.data
    expect(action).toBe(`PATCH /v1/agents/${payer.id}`)
    expect(JSON.parse(evidence.document)).toMatchObject({
      action,
      body_sha256: sha256('{"require_human_approval_above":150}').toString('hex'),
      subject: owner.id,
    })
    expect(isSigned(evidence)).toBe(true)
  })
})

describe('passkeys', () => {
  test('log an owner in, once per challenge, with a session like any other', async () => {
    const { authenticator } = await enrol(api, session)
    const { challenge } = await api.ok(routes.getPasskeyLoginOptions)
    const response = authenticator.sign(challenge)
    const reply = await api.send(routes.logInByPasskey, { body: { response } })
    expect(reply).toMatchObject({ status: 200, body: { owner_ids: [owner.id] } })
    const [cookie = ''] = reply.headers.getSetCookie()
    expect(cookie).toMatch(
      /^service_session=ses_live_[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const headers = { cookie: cookie.split(';')[0] ?? '', origin: api.address }
    await api.ok(routes.getSession, { headers })
    for (const again of [response, authenticator.sign('x'), newAuthenticator(pageOf(api)).sign(challenge)]) {
      await api.refused(routes.logInByPasskey, 401, 'authentication_error', { body: { response: again } })
    }
    const origin = { origin: 'https://evil.example' }
    await api.refused(routes.getPasskeyLoginOptions, 403, 'authorization_error', { headers: origin })
  })

  test('of an administrator open no session', async () => {
    const admin = await logIn(api, ADMIN_PHONES.sandbox, 'admin')
    const { authenticator, passkeyId } = await enrol(api, admin)
    const { challenge } = await api.ok(routes.getPasskeyLoginOptions)
    const body = { response: authenticator.sign(challenge) }
    await api.refused(routes.logInByPasskey, 401, 'authentication_error', { body })
    const holder = { headers: admin, authenticator, passkeyId }
    await okConfirmed(api, holder, routes.deletePasskey, { params: { passkey_id: passkeyId } })
  })

  test('are enrolled at once with a step-up, and otherwise after the cooldown, with a message to the phone', async () => {
    const first = await enrol(api, session)
    const second = await enrol(api, session, first)
    const third = await enrol(api, session)
    const passkeys = await list()
    expect(passkeys.map(({ passkey_id }) => passkey_id)).toEqual(
      [first, second, third].map(({ passkeyId }) => passkeyId),
    )
    expect(passkeys.map(({ created_at, effective_at }) => created_at === effective_at)).toEqual([
      true,
      true,
      false,
    ])
    expect(await messages()).toEqual([expect.stringContaining('a passkey is added')])
    const params = { agent_id: payer.id }
    const call = { params, body: { require_human_approval_above: 150 } }
    expect((await sendConfirmed(api, third, routes.updateAgent, call)).status).toBe(403)
    await advance(DAY_S)
    session = await logIn(api, owner.phone, 'owner')
    const here = { ...third, headers: session }
    expect((await sendConfirmed(api, here, routes.updateAgent, call)).status).toBe(200)
  })

  test('are removed at once with a step-up, and otherwise after the cooldown, which can be cancelled', async () => {
    const first = await enrol(api, session)
    const second = await enrol(api, session, first)
    const params = { passkey_id: second.passkeyId }
    const removed = await api.ok(routes.deletePasskey, { params, headers: session })
    expect(removed.removed_at).not.toBeNull()
    expect((await api.ok(routes.deletePasskey, { params, headers: session })).removed_at).toBe(
      removed.removed_at,
    )
    expect(await messages()).toEqual([expect.stringContaining('a passkey is removed')])
    expect((await api.ok(routes.keepPasskey, { params, headers: session })).removed_at).toBeNull()
    await api.refused(routes.keepPasskey, 404, 'not_found', { params, headers: session })
    await okConfirmed(api, first, routes.deletePasskey, { params })
    expect(await list()).toHaveLength(1)
    const { passkeys } = await api.ok(routes.listPasskeys, {
      headers: session,
      query: { include: 'removed' },
    })
    expect(passkeys.map(({ passkey_id }) => passkey_id)).toEqual([first.passkeyId, second.passkeyId])
    await api.refused(routes.deletePasskey, 404, 'not_found', { params, headers: session })
    const last = { passkey_id: first.passkeyId }
    await api.ok(routes.deletePasskey, { params: last, headers: session })
    const approval_id = await ask()
    expect((await approve(approval_id, {})).status).toBe(403)
    await advance(DAY_S)
    session = await logIn(api, owner.phone, 'owner')
    expect((await approve(await ask(), {})).status).toBe(200)
  })

  test('that cannot be used yet are removed at once', async () => {
    await enrol(api, session)
    const waiting = await enrol(api, session)
    const params = { passkey_id: waiting.passkeyId }
    await api.ok(routes.deletePasskey, { params, headers: session })
    expect(await list()).toHaveLength(1)
  })

  test('of another person cannot be seen, removed or kept', async () => {
    const { passkeyId } = await enrol(api, session)
    const stranger = await network.login(await network.owner(owner.platform))
    expect(await list(stranger)).toEqual([])
    const call = { params: { passkey_id: passkeyId }, headers: stranger }
    for (const route of [routes.deletePasskey, routes.keepPasskey]) {
      await api.refused(route, 404, 'not_found', call)
    }
  })

  test('are enrolled with the options of the session, once, and a credential once', async () => {
    const authenticator = newAuthenticator(pageOf(api))
    const { challenge } = await api.ok(routes.getPasskeyOptions, { headers: session })
    const stranger = await network.login(await network.owner(owner.platform))
    const body = { name: 'Phone', response: authenticator.register(challenge) }
    await api.refused(routes.createPasskey, 400, 'validation_error', { headers: stranger, body })
    await api.ok(routes.createPasskey, { headers: session, body })
    await api.refused(routes.createPasskey, 400, 'validation_error', { headers: session, body })
    const again = await api.ok(routes.getPasskeyOptions, { headers: session })
    expect(again.excludeCredentials.map(({ id }) => id)).toEqual([body.response.id])
    const repeated = { name: 'Again', response: authenticator.register(again.challenge) }
    await api.refused(routes.createPasskey, 409, 'conflict', { headers: session, body: repeated })
    const foreign = newAuthenticator('https://evil.example').register(again.challenge)
    const other = { name: 'Foreign', response: foreign }
    await api.refused(routes.createPasskey, 400, 'validation_error', { headers: session, body: other })
  })

  test('whose rows were deleted or altered make requests fail instead of being no longer required', async () => {
    const holder = await enrol(api, session)
    const approval_id = await ask()
    const newest = `(select max(id::text)::uuid from passkeys)`
    await stage.database.query(
      `update passkeys set effective_at = effective_at + interval '1 day' where id = ${newest}`,
    )
    expect((await approve(approval_id, {})).status).toBe(500)
    await stage.database.query(`delete from passkeys where id = ${newest}`)
    expect((await approve(approval_id, {})).status).toBe(500)
    expect((await approveWith(holder, approval_id).catch(() => ({ status: 500 }))).status).toBe(500)
  })
})

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Verifies evidence by the standards alone: WebAuthn section 7.2, and the challenge of contract section 12. */
function isSigned(evidence: Evidence): boolean {
  const bytes = (text: string) => Buffer.from(text, 'base64url')
  const data = bytes(evidence.authenticator_data)
  const client = JSON.parse(bytes(evidence.client_data_json).toString())
  const challenge = createHash('sha256')
    .update(evidence.document)
    .update(Buffer.from([0]))
    .update(bytes(evidence.salt))
    .digest('base64url')
  const cose = bytes(evidence.public_key)
  const point = {
    x: cose.subarray(10, 42).toString('base64url'),
    y: cose.subarray(45, 77).toString('base64url'),
  }
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', ...point } })
  const signed = Buffer.concat([data, createHash('sha256').update(bytes(evidence.client_data_json)).digest()])
  return (
    client.type === 'webauthn.get' &&
    client.challenge === challenge &&
    client.origin === evidence.origin &&
    data.subarray(0, 32).equals(sha256(evidence.rp_id)) &&
    ((data[32] ?? 0) & 0x05) === 0x05 &&
    verify('sha256', signed, key, bytes(evidence.signature))
  )
}
