import { expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { newPlatform } from '../../../testing/network.ts'
import { sessionJobs } from './jobs.ts'
import { cookieOf, openStage, stage, test } from './testing/session-stage.ts'

const HOUR_MS = 60 * 60_000

const me = (headers: Record<string, string>) => stage.ask('GET', '/api/web/me', headers)

test('a session cookie is SameSite and HttpOnly', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const { headers } = await stage.verifyOtp(number, await stage.codeOf(number))
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^service_session=ses_live_[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    ),
    expect.stringMatching(
      /^service_browser=brw_live_[\w-]{43}; Max-Age=15552000; Path=\/v1\/auth; HttpOnly; SameSite=Lax$/,
    ),
  ])
  expect(headers.get('cache-control')).toBe('no-store')
  await stage.sendOtp('9999999999', 'admin')
  const admin = await stage.verifyOtp('9999999999', await stage.codeOf('9999999999'), 'admin')
  expect(admin.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^service_admin_session=ses_live_[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/,
    ),
    expect.stringMatching(/^service_admin_browser=brw_live_[\w-]{43}; .*Path=\/v1\/admin\/auth; HttpOnly/),
  ])
})

test('with an https address the session cookie is Secure', async () => {
  const secure = await openStage({ secure: true })
  const { number } = await secure.newOwner()
  await secure.sendOtp(number)
  const { headers } = await secure.verifyOtp(number, await secure.codeOf(number))
  expect(headers.getSetCookie()[0]).toMatch(/; Secure/)
  await secure.close()
})

test('a session shows the owners of its phone on every accepted platform, also on later ones', async () => {
  const first = await stage.newOwner()
  const session = await stage.logIn(first.number)
  const phone = first.number
  const expires_at = new Date(stage.clock.now().getTime() + 12 * HOUR_MS).toISOString()
  const record = { owner_id: formatId('own', first.id), name: 'Asha Rao', phone: first.number }
  const { status, body, headers } = await me(session)
  expect({ status, body }).toMatchObject({ status: 200, body: { phone, expires_at, owners: [record] } })
  expect(headers.get('cache-control')).toBe('no-store')

  const { platform } = await newPlatform(stage.network)
  const second = await stage.newOwner(first.number, platform.id)
  const ownerRef = formatId('own', second.id)
  expect((await me(session)).body).toMatchObject({ owners: [record] })
  expect((await stage.ask('GET', `/v1/owners/${ownerRef}`, session)).status).toBe(404)
  await stage.ask('POST', `/v1/invitations/${ownerRef}/accept`, session)
  expect(await me(session)).toMatchObject({
    body: { owners: [record, { owner_id: ownerRef }] },
  })
  expect((await stage.ask('GET', `/v1/owners/${ownerRef}`, session)).status).toBe(200)
})

test('a session gives no access to records of another owner', async () => {
  const session = await stage.logIn((await stage.newOwner()).number)
  const stranger = await stage.newOwner()
  expect((await stage.ask('GET', `/v1/owners/${formatId('own', stranger.id)}`, session)).status).toBe(404)
  expect(await me(session)).not.toMatchObject({
    body: { owners: [{ owner_id: formatId('own', stranger.id) }] },
  })
})

test.each([
  ['owner', 12],
  ['admin', 1],
] as const)('the session of an %s ends after %d h, to the millisecond, used or not', async (kind, hours) => {
  const phone = kind === 'owner' ? (await stage.newOwner()).number : '9999999999'
  stage.clock.advance(HOUR_MS)
  const session = await stage.logIn(phone, kind)
  const authenticated = () => stage.context.clock.now() && alive(kind, session.cookie)
  stage.clock.advance(hours * HOUR_MS - 1)
  expect(await authenticated()).toBe(true)
  stage.clock.advance(1)
  expect(await authenticated()).toBe(false)
})

/** Whether a cookie is still valid: a logout from another site is refused and changes nothing. */
async function alive(kind: 'owner' | 'admin', cookie: string): Promise<boolean> {
  const path = kind === 'owner' ? '/v1/auth/logout' : '/v1/admin/auth/logout'
  const { status } = await stage.ask('POST', path, { cookie, origin: 'http://evil.test' })
  expect([401, 403]).toContain(status)
  return status === 403
}

test('a logout ends the session at once for every copy of the cookie, and clears the cookie', async () => {
  for (const [kind, phone, path] of [
    ['owner', (await stage.newOwner()).number, '/v1/auth/logout'],
    ['admin', '9999999999', '/v1/admin/auth/logout'],
  ] as const) {
    stage.clock.advance(HOUR_MS)
    const session = await stage.logIn(phone, kind)
    stage.clock.advance(60_000)
    const other = await stage.logIn(phone, kind)
    const { status, body, headers } = await stage.ask('POST', path, session)
    expect({ status, body }).toEqual({ status: 200, body: { logged_out: true } })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^service_(admin_)?session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect(await alive(kind, session.cookie)).toBe(false)
    expect((await stage.ask('POST', path, session)).status).toBe(401)
    expect(await alive(kind, other.cookie)).toBe(true)
  }
})

test('a token from the caller never becomes a session, and an expired one does not prevent a login', async () => {
  const { number } = await stage.newOwner()
  const planted = `service_session=ses_live_${'A'.repeat(43)}`
  await stage.sendOtp(number)
  const { status, headers } = await stage.verifyOtp(number, await stage.codeOf(number), 'owner', {
    cookie: planted,
  })
  expect(status).toBe(200)
  expect(cookieOf(headers)).not.toBe(planted)
  expect((await me({ cookie: planted })).status).toBe(401)
  expect((await me({ cookie: cookieOf(headers) })).status).toBe(200)
})

test('a login with a valid session cookie creates a new session', async () => {
  const { number } = await stage.newOwner()
  const first = await stage.logIn(number)
  stage.clock.advance(60_000)
  await stage.sendOtp(number)
  const second = await stage.verifyOtp(number, await stage.codeOf(number), 'owner', { cookie: first.cookie })
  expect(second.status).toBe(200)
  expect(cookieOf(second.headers)).not.toBe(first.cookie)
  expect((await me(first)).status).toBe(200)
})

test('a replayed login creates no session', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  const headers = { 'idempotency-key': 'login-1', cookie: 'service_session=dead' }
  const first = await stage.verifyOtp(number, code, 'owner', headers)
  const again = await stage.verifyOtp(number, code, 'owner', headers)
  expect([first.status, again.status]).toEqual([200, 200])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.getSetCookie()).toEqual([])
})

test('an administrator who is removed from the list is refused at the next request and cannot log in', async () => {
  const phone = '9888888888'
  stage.adminPhones.push(phone)
  const session = await stage.logIn(phone, 'admin')
  expect(await alive('admin', session.cookie)).toBe(true)
  stage.clock.advance(60_000)
  await stage.sendOtp(phone, 'admin')
  const code = await stage.codeOf(phone)
  stage.adminPhones.splice(stage.adminPhones.indexOf(phone), 1)
  expect(await alive('admin', session.cookie)).toBe(false)
  expect((await stage.verifyOtp(phone, code, 'admin')).status).toBe(401)
})

test('a session of one kind is not accepted as the other kind', async () => {
  const owner = await stage.logIn((await stage.newOwner('9777777777')).number)
  const asAdmin = owner.cookie.replace('service_session', 'service_admin_session')
  stage.adminPhones.push('9777777777')
  expect(await alive('admin', asAdmin)).toBe(false)
  stage.adminPhones.pop()
})

test('a request with two credentials needs both to be valid', async () => {
  const session = await stage.logIn((await stage.newOwner()).number)
  const wrongKey = { ...session, 'x-agent-key': `agk_live_${'x'.repeat(43)}` }
  expect((await me(wrongKey)).status).toBe(401)
  expect((await me({ cookie: `${session.cookie}; service_admin_session=dead` })).status).toBe(401)
  expect((await me({ cookie: `theme=dark; ${session.cookie}` })).status).toBe(200)
})

test('no token is stored in readable form', async () => {
  const { cookie } = await stage.logIn((await stage.newOwner()).number)
  const token = cookie.slice('service_session='.length)
  const rows = await stage.db.database.query<{ text: string }>('select s::text as text from sessions s')
  const texts = rows.map(({ text }) => text).join('\n')
  for (const form of [
    token,
    Buffer.from(token).toString('hex'),
    Buffer.from(token.slice(9), 'base64url').toString('hex'),
  ])
    expect(texts).not.toContain(form)
})

test('expired sessions are deleted, and no others', async () => {
  stage.clock.advance(24 * HOUR_MS)
  const { number } = await stage.newOwner()
  const living = await stage.logIn(number)
  await stage.db.database.query(`update login_places set used_at = used_at - interval '181 days'`)
  for (const { run } of sessionJobs(stage.context)) {
    expect(await run(stage.clock.now())).toBeGreaterThan(0)
    expect(await run(stage.clock.now())).toBe(0)
  }
  expect((await me(living)).status).toBe(200)
  expect(await stage.sendOtp(number)).toMatchObject({ status: 429 })
})

test('a failing sender does not change the response, and the log contains no phone, code or session', async () => {
  const { number } = await stage.newOwner()
  const { cookie } = await stage.logIn(number)
  stage.clock.advance(60_000)
  stage.failSending('the provider returned 500')
  expect((await stage.sendOtp(number)).status).toBe(200)
  await stage.context.otpDispatcher.drained()
  const log = stage.log.join('')
  expect(log).toContain('one-time code not sent')
  expect(log).toContain('the provider returned 500')
  expect(log).toContain('"caller":"owner:')
  const secrets = [number, cookie.slice('service_session='.length), ...stage.sent.map(({ code }) => code)]
  const words = log.split(/[^\w-]+/)
  expect(secrets.filter(secret => words.includes(secret))).toEqual([])
})
