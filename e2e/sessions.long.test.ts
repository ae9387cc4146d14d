import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Headers, openApi } from './src/api.ts'
import { ADMIN_PHONE, logIn, tokenOf } from './src/log-in.ts'
import { newPhone, type Owner } from './src/network.ts'
import { startService } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

const MASTER_KEY = Buffer.alloc(32, 'sessions').toString('base64')
const HOUR_S = 3_600

let stage: Stage
let api: Api

beforeAll(async () => {
  // Every request is logged, so that a leaked value would be in the log.
  stage = await openStage({ MASTER_KEY, LOG_LEVEL: 'debug', TRUST_PROXY: 'loopback' })
  ;({ api } = stage)
})
afterAll(() => stage.close())

const newOwner = async (): Promise<Owner> => stage.network.owner(await stage.network.platform())
const me = async (headers: Headers) => (await api.send(routes.getSession, { headers })).status
const advance = (advance_seconds: number) => api.ok(routes.advanceClock, { body: { advance_seconds } })

describe('an owner', () => {
  test('logs in by the code on the phone and can read the session', async () => {
    const owner = await newOwner()
    const headers = await logIn(api, owner.phone, 'owner')
    const seen = await api.ok(routes.getSession, { headers })
    expect(seen.owners.map(({ owner_id }) => owner_id)).toEqual([owner.id])
    expect([seen.phone, ...seen.owners.map(({ phone }) => phone)]).toEqual([owner.phone, owner.phone])
  })

  test('can read the transactions of all its agents in one list, page by page', async () => {
    const owner = await newOwner()
    const [one, two] = [await stage.network.fundedAgent(owner), await stage.network.agent(owner)]
    await stage.network.pay(one, two, 100)
    const headers = await stage.network.login(owner)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const next = cursor === undefined ? {} : { cursor }
      const page = await api.ok(routes.listOwnerTransactions, { headers, query: { limit: 1, ...next } })
      expect(page.pagination.total).toBe(3)
      seen.push(...page.transactions.map(({ type }) => type))
      cursor = page.pagination.next_cursor
    } while (cursor !== undefined)
    expect(seen).toEqual(['pay_in', 'pay_out', 'fund'])
  })

  test('can act from a page of the service, and no other site can act in its name', async () => {
    const headers = await logIn(api, (await newOwner()).phone, 'owner')
    const { cookie = '' } = headers
    for (const from of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: api.address, 'sec-fetch-site': 'same-site' },
    ]) {
      await api.refused(routes.logOut, 403, 'authorization_error', { headers: { cookie, ...from } })
    }
    expect(await me({ cookie })).toBe(200)
    await api.ok(routes.logOut, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  })

  test('that logs out has ended the session for every copy of the cookie', async () => {
    const headers = await logIn(api, (await newOwner()).phone, 'owner')
    await api.ok(routes.logOut, { headers })
    expect(await me(headers)).toBe(401)
    const again = await api.send(routes.logOut, { headers })
    expect(again.status).toBe(401)
    expect(again.headers.getSetCookie()).toEqual([expect.stringMatching(/^service_session=; Max-Age=0;/)])
    await api.ok(routes.getHealth, { headers })
    await api.ok(routes.getServiceKeys, { headers })
  })

  test('is not locked out by a stranger, who can neither delay nor use up a code', async () => {
    const { phone } = await newOwner()
    const stranger = { 'x-forwarded-for': '203.0.113.7' }
    await api.ok(routes.sendOtp, { body: { phone }, headers: stranger })
    await api.ok(routes.getSandboxOtp, { params: { phone } })
    await api.ok(routes.sendOtp, { body: { phone } })
    const { code } = await api.ok(routes.getSandboxOtp, { params: { phone } })
    for (let count = 0; count < 6; count++) {
      const guess = { body: { phone, code }, headers: stranger }
      await api.refused(routes.verifyOtp, 401, 'authentication_error', guess)
    }
    await api.ok(routes.verifyOtp, { body: { phone, code } })
  })

  test('cannot be logged in by a page of another site', async () => {
    const { phone } = await newOwner()
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      await api.refused(routes.sendOtp, 403, 'authorization_error', { body: { phone }, headers })
      const body = { phone, code: '000000' }
      await api.refused(routes.verifyOtp, 403, 'authorization_error', { body, headers })
    }
    await api.ok(routes.sendOtp, { body: { phone }, headers: { origin: api.address } })
  })

  test('gets codes at the same rate limit as an unknown phone', async () => {
    for (const phone of [(await newOwner()).phone, newPhone()]) {
      expect(await api.ok(routes.sendOtp, { body: { phone } })).toEqual({ sent: true, expires_in: 300 })
      const again = await api.send(routes.sendOtp, { body: { phone } })
      expect(again.status).toBe(429)
      expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(25)
    }
  })

  test('with an unknown phone gets no code', async () => {
    const phone = newPhone()
    await api.ok(routes.sendOtp, { body: { phone } })
    await api.refused(routes.getSandboxOtp, 404, 'not_found', { params: { phone } })
    await api.refused(routes.getSandboxOtp, 404, 'not_found', { params: { phone: '9000000000' } })
  })
})

describe('a moved clock', () => {
  test('expires codes after five minutes', async () => {
    const { phone } = await newOwner()
    await api.ok(routes.sendOtp, { body: { phone } })
    const { code } = await api.ok(routes.getSandboxOtp, { params: { phone } })
    await advance(301)
    await api.refused(routes.verifyOtp, 401, 'authentication_error', { body: { phone, code } })
  })

  test('expires sessions of administrators after one hour and of owners after twelve', async () => {
    const owner = await logIn(api, (await newOwner()).phone, 'owner')
    await advance(60)
    const admin = await logIn(api, ADMIN_PHONE, 'admin')
    await advance(HOUR_S + 1)
    await api.refused(routes.logOutAdmin, 401, 'authentication_error', { headers: admin })
    expect(await me(owner)).toBe(200)
    await advance(11 * HOUR_S)
    expect(await me(owner)).toBe(401)
  })
})

describe('another node', () => {
  test('accepts a session of the first node, and refuses it once it has ended', async () => {
    const other = await startService({ DATABASE_URL: stage.database.url, MASTER_KEY })
    try {
      const there = openApi(other.address)
      const headers = await logIn(api, (await newOwner()).phone, 'owner')
      const { cookie = '' } = headers
      expect((await there.send(routes.getSession, { headers: { cookie } })).status).toBe(200)
      await api.ok(routes.logOut, { headers })
      expect((await there.send(routes.getSession, { headers: { cookie } })).status).toBe(401)
    } finally {
      await other.stop()
    }
  })

  test('that no longer lists an administrator ends the session', async () => {
    await advance(60)
    const headers = await logIn(api, ADMIN_PHONE, 'admin')
    const ADMIN_PHONES = '9888888888'
    const other = await startService({ DATABASE_URL: stage.database.url, MASTER_KEY, ADMIN_PHONES })
    try {
      const there = openApi(other.address)
      const fromThere = { ...headers, origin: other.address }
      await there.refused(routes.logOutAdmin, 401, 'authentication_error', { headers: fromThere })
      await api.ok(routes.logOutAdmin, { headers })
    } finally {
      await other.stop()
    }
  })
})

test('an administrator can create platforms if sign-up is closed', async () => {
  const closed = await startService({
    DATABASE_URL: stage.database.url,
    MASTER_KEY,
    PLATFORM_SIGNUP: 'admin',
  })
  try {
    const there = openApi(closed.address)
    const body = { name: 'Example Agents' }
    await there.refused(routes.createPlatform, 401, 'authentication_error', { body })
    await advance(60)
    const headers = { ...(await logIn(api, ADMIN_PHONE, 'admin')), origin: closed.address }
    await there.ok(routes.createPlatform, { body, headers })
  } finally {
    await closed.stop()
  }
})

test('neither the log nor the database has a session, a code or a phone in plain text', async () => {
  await advance(60)
  const owner = await newOwner()
  await api.ok(routes.sendOtp, { body: { phone: owner.phone } })
  const { code } = await api.ok(routes.getSandboxOtp, { params: { phone: owner.phone } })
  await api.refused(routes.verifyOtp, 401, 'authentication_error', {
    body: { phone: owner.phone, code: code === '000000' ? '000001' : '000000' },
  })
  const reply = await api.send(routes.verifyOtp, { body: { phone: owner.phone, code } })
  const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { cookie, origin: api.address }
  await api.ok(routes.getSession, { headers })
  await api.refused(routes.getSession, 401, 'authentication_error', { headers: { cookie: `${cookie}x` } })
  await api.refused(routes.logOut, 403, 'authorization_error', { headers: { cookie } })
  await api.ok(routes.logOut, { headers })

  await stage.service.stop()
  const log = stage.service.output()
  expect(log).toContain('"/v1/auth/logout"')
  for (const secret of [tokenOf(headers), owner.phone, 'ses_live_']) expect(log).not.toContain(secret)
  expect(log.split(/[^\w]+/)).not.toContain(code)
  for (const table of ['sessions', 'login_codes', 'login_phones', 'sandbox_otps', 'idempotent_requests']) {
    const rows = await stage.database.query<{ text: string }>(`select t::text as text from ${table} t`)
    const text = rows.map(row => row.text).join('\n')
    for (const secret of [tokenOf(headers), owner.phone, code]) {
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
      expect(text.split(/[^\w]+/)).not.toContain(secret)
    }
  }
})
