import { routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { openStream } from './src/event-stream.ts'
import { logIn, logPlatformIn as openPlatformSession, tokenOf } from './src/log-in.ts'
import type { Network, Owner, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let platform: Platform

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())
beforeEach(async () => {
  platform = await network.platform()
})

const logPlatformIn = (of = platform) => openPlatformSession(api, of)
const read = (headers: Headers, { id } = platform) =>
  api.send(routes.getPlatform, { params: { platform_id: id }, headers })
const rotate = (headers: Headers) =>
  api.ok(routes.rotatePlatformSecret, { params: { platform_id: platform.id }, headers })

describe('the session of a platform', () => {
  test('is a cookie that no script reads, and may do what the platform may', async () => {
    const body = { platform_id: platform.id, platform_secret: platform.secret }
    const reply = await api.send(routes.logInPlatform, { body })
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^service_platform_session=ses_live_[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect(reply.text).not.toContain(platform.secret)
    const session = await logPlatformIn()
    expect((await read(session)).status).toBe(200)
    await api.ok(routes.createOwner, {
      headers: session,
      body: { name: 'Asha Rao', phone: '9812345678', pan: 'ABCPR1234F' },
    })
    await api.ok(routes.listAgents, { headers: session })
  })

  test('cannot read the data of another platform', async () => {
    const session = await logPlatformIn()
    const other = await network.platform()
    expect((await read(session, other)).status).toBe(404)
  })

  test('cannot be used by a page of another site to change anything', async () => {
    const { cookie = '' } = await logPlatformIn()
    const owner = { name: 'Asha Rao', phone: '9812345678', pan: 'ABCPR1234F' }
    for (const headers of [{ cookie }, { cookie, origin: 'https://evil.example' }]) {
      await api.refused(routes.createOwner, 403, 'authorization_error', { headers, body: owner })
    }
    const headers = { origin: 'https://evil.example' }
    const body = { platform_id: platform.id, platform_secret: platform.secret }
    await api.refused(routes.logInPlatform, 403, 'authorization_error', { headers, body })
  })

  test('is not opened by a wrong id or secret, with one message for both', async () => {
    const wrong = [
      { platform_id: platform.id, platform_secret: (await network.platform()).secret },
      { platform_id: platform.id, platform_secret: 'sk_live_wrong' },
      { platform_id: 'plt_01kb7q3f8meg5tz4x9wc2n6a99', platform_secret: platform.secret },
    ]
    const errors = wrong.map(body => api.refused(routes.logInPlatform, 401, 'authentication_error', { body }))
    expect(new Set((await Promise.all(errors)).map(({ message }) => message)).size).toBe(1)
  })

  test('ends at logout, and its cookie is deleted', async () => {
    const [first, second] = [await logPlatformIn(), await logPlatformIn()]
    const reply = await api.send(routes.logOutPlatform, { headers: first })
    expect(reply.headers.getSetCookie()[0]).toMatch(/^service_platform_session=; Max-Age=0/)
    const dead = await read(first)
    expect(dead.status).toBe(401)
    expect(dead.headers.getSetCookie()[0]).toMatch(/^service_platform_session=; Max-Age=0/)
    expect((await read(second)).status).toBe(200)
  })

  test('cannot be ended by a request with the secret, which belongs to no session', async () => {
    await api.refused(routes.logOutPlatform, 401, 'authentication_error', { headers: platform.headers })
  })

  test('ends when the secret is rotated, also by another session', async () => {
    const [first, second] = [await logPlatformIn(), await logPlatformIn()]
    const stream = await openStream(api.address, second)
    const secret = (await rotate(first)).platform_secret ?? ''
    expect((await read(first)).status).toBe(401)
    expect((await read(second)).status).toBe(401)
    await stream.ended
    expect((await read(await logPlatformIn({ ...platform, secret }))).status).toBe(200)
  })

  test('is accepted only without a secret, and only as the kind that X-Session names', async () => {
    const session = await logPlatformIn()
    const other = await network.platform()
    const both = await read({ ...session, ...other.headers }, other)
    expect(both.status).toBe(200)
    const owner = await network.login(await network.owner(platform))
    const cookie = `${session['cookie']}; ${owner['cookie']}`
    const asOwner = { cookie, origin: api.address, 'x-session': 'owner' }
    expect((await api.send(routes.getSession, { headers: asOwner })).status).toBe(200)
    expect((await read(asOwner)).status).toBe(401)
    expect((await read({ ...asOwner, 'x-session': 'platform' })).status).toBe(200)
  })

  test('whose row is restored after it ended is refused', async () => {
    const session = await logPlatformIn()
    const { query } = stage.database
    await query('create temp table kept as select * from sessions where platform_id is not null')
    await api.ok(routes.logOutPlatform, { headers: session })
    await query(
      'insert into sessions select k.* from kept k left join sessions s using (token_hash) where s is null',
    )
    expect((await read(session)).status).toBe(401)
  })
})

describe('the sessions of a person', () => {
  let owner: Owner
  let first: Headers
  let second: Headers

  beforeEach(async () => {
    owner = await network.owner(platform)
    first = await logIn(api, owner.phone, 'owner')
    await api.ok(routes.advanceClock, { body: { advance_seconds: 60 } })
    second = await logIn(api, owner.phone, 'owner')
  })

  const sessions = async (headers: Headers) => (await api.ok(routes.listSessions, { headers })).sessions

  test('are listed with the network and the browser that opened them, newest first', async () => {
    const listed = await sessions(second)
    expect(listed).toMatchObject([
      { current: true, address_hint: '127.0.0.x' },
      { current: false, address_hint: '127.0.0.x' },
    ])
    expect((await sessions(first)).map(({ current }) => current)).toEqual([false, true])
    expect(JSON.stringify(listed)).not.toContain(tokenOf(first))
  })

  test('end one by one, at once', async () => {
    const [, other] = await sessions(second)
    const stream = await openStream(api.address, first)
    const params = { session_id: other?.session_id ?? '' }
    await api.ok(routes.endSession, { params, headers: second })
    await api.refused(routes.getSession, 401, 'authentication_error', { headers: first })
    await stream.ended
    await api.refused(routes.endSession, 404, 'not_found', { params, headers: second })
    expect(await sessions(second)).toHaveLength(1)
  })

  test('end all but the one that asks', async () => {
    expect(await api.ok(routes.endOtherSessions, { headers: second })).toEqual({ ended: 1 })
    await api.refused(routes.getSession, 401, 'authentication_error', { headers: first })
    expect(await api.ok(routes.endOtherSessions, { headers: second })).toEqual({ ended: 0 })
  })

  test('end with the own cookie deleted, when the own one is named', async () => {
    const own = (await sessions(second)).find(({ current }) => current)
    const params = { session_id: own?.session_id ?? '' }
    const reply = await api.send(routes.endSession, { params, headers: second })
    expect(reply.headers.getSetCookie()[0]).toMatch(/^service_session=; Max-Age=0/)
    await api.refused(routes.getSession, 401, 'authentication_error', { headers: second })
  })

  test('are not shown to another person, who cannot end them', async () => {
    const [own] = await sessions(first)
    const stranger = await network.login(await network.owner(platform))
    const admin = await network.admin()
    const params = { session_id: own?.session_id ?? '' }
    for (const headers of [stranger, admin]) {
      expect((await sessions(headers)).map(({ session_id }) => session_id)).not.toContain(params.session_id)
      await api.refused(routes.endSession, 404, 'not_found', { params, headers })
      await api.ok(routes.endOtherSessions, { headers })
    }
    expect(await sessions(first)).toHaveLength(2)
  })
})
