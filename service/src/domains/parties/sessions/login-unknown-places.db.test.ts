import { beforeEach, expect } from 'vitest'
import { randomPhone } from '../../../testing/network.ts'
import { UNKNOWN_PLACES_CODES_AN_HOUR, UNKNOWN_PLACES_PAUSE_MS } from './decide.ts'
import { sessionJobs } from './jobs.ts'
import { from, otherThan, stage, test } from './testing/session-stage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const UNKNOWN_PLACE = from('203.0.113.7')

beforeEach(() => stage.clock.advance(60 * MINUTE_MS))

test.each(['owner', 'admin'] as const)(
  'requests from an unknown place neither prevent an %s from getting a code nor invalidate it',
  async kind => {
    const [admin = ''] = stage.adminPhones
    const number = kind === 'owner' ? (await stage.newOwner()).number : admin
    for (let count = 0; count < 10; count++) {
      expect((await stage.sendOtp(number, kind, UNKNOWN_PLACE)).status).toBe(200)
      stage.clock.advance(30 * SECOND_MS)
    }
    expect((await stage.sendOtp(number, kind, UNKNOWN_PLACE)).status).toBe(429)
    await stage.context.otpDispatcher.drained()
    expect((await stage.sendOtp(number, kind)).status).toBe(200)
    const code = await stage.codeOf(number)
    for (let step = 1; step <= 6; step++) {
      expect((await stage.verifyOtp(number, otherThan(code, step), kind, UNKNOWN_PLACE)).status).toBe(401)
    }
    stage.clock.advance(30 * SECOND_MS)
    expect((await stage.verifyOtp(number, code, kind)).status).toBe(200)
  },
)

test('a code requested from an unknown place changes neither the holder’s code nor the pause', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', UNKNOWN_PLACE)
  await stage.context.otpDispatcher.drained()
  expect((await stage.sendOtp(number)).status).toBe(200)
  const code = await stage.codeOf(number)
  stage.clock.advance(30 * SECOND_MS)
  await stage.sendOtp(number, 'owner', UNKNOWN_PLACE)
  await stage.codeOf(number)
  expect((await stage.verifyOtp(number, code)).status).toBe(200)
})

test('a code is valid only at the address that requested it, where IPv6 addresses count by their /48', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', from('2001:db8:1:2::1'))
  const code = await stage.codeOf(number)
  expect((await stage.verifyOtp(number, code, 'owner', from('2001:db8:2:2::1'))).status).toBe(401)
  expect((await stage.verifyOtp(number, code, 'owner', from('2001:db8:1:ffff:ffff::9'))).status).toBe(200)
})

/** Requests this many codes, each from a different address. */
async function flood(phone: string, requests: number, net = 100): Promise<void> {
  for (let count = 0; count < requests; count++) {
    expect((await stage.sendOtp(phone, 'owner', from(`198.51.${net}.${count}`))).status).toBe(200)
    // Requests one after the other, so that the last message is the last code.
    await stage.context.otpDispatcher.drained()
  }
}

const messagesTo = (phone: string) => stage.sent.filter(message => message.phone === phone).length

test('many addresses together cause twenty messages an hour to a phone, and then one in three minutes', async () => {
  expect([UNKNOWN_PLACES_CODES_AN_HOUR, UNKNOWN_PLACES_PAUSE_MS]).toEqual([20, 180_000])
  const { number } = await stage.newOwner()
  await flood(number, 60)
  expect(messagesTo(number)).toBe(20)
  for (let minute = 0; minute < 30; minute++) {
    stage.clock.advance(MINUTE_MS)
    await flood(number, 3, minute)
  }
  expect(messagesTo(number)).toBe(30)
})

test('concurrent requests from many addresses cause no more messages', async () => {
  const { number } = await stage.newOwner()
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => stage.sendOtp(number, 'owner', from(`198.51.100.${index}`))),
  )
  await stage.context.otpDispatcher.drained()
  expect(messagesTo(number)).toBe(20)
})

test('during a flood of requests the last code on the phone still works at a new place, once', async () => {
  const { number } = await stage.newOwner()
  await flood(number, 25)
  stage.clock.advance(MINUTE_MS)
  const reply = await stage.sendOtp(number)
  expect(reply).toMatchObject({ status: 200, body: { sent: true, expires_in: 240 } })
  const code = await stage.codeOf(number)
  expect(messagesTo(number)).toBe(20)
  const there = from('198.51.100.24')
  const replies = await Promise.all([
    stage.verifyOtp(number, code),
    stage.verifyOtp(number, code, 'owner', there),
  ])
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401])
  expect((await stage.verifyOtp(number, code, 'owner', from('198.51.100.23'))).status).toBe(401)
})

test('during a flood of requests the responses are the same for an unknown phone', async () => {
  const { number } = await stage.newOwner()
  const responses: unknown[] = []
  for (const phone of [number, randomPhone()]) {
    await flood(phone, 25)
    const { status, body } = await stage.sendOtp(phone)
    responses.push({ status, body })
  }
  expect(responses[1]).toEqual(responses[0])
})

test('during a flood of requests a known place gets a code of its own', async () => {
  const { number } = await stage.newOwner()
  await stage.logIn(number)
  stage.clock.advance(MINUTE_MS)
  await flood(number, 25)
  const before = messagesTo(number)
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  expect(messagesTo(number)).toBe(before + 1)
  expect((await stage.verifyOtp(number, code)).status).toBe(200)
})

test('a login at another place resets the limit of an address whose ten codes never arrived', async () => {
  const { number } = await stage.newOwner()
  for (let count = 0; count < 10; count++) {
    await stage.sendOtp(number, 'owner', UNKNOWN_PLACE)
    stage.clock.advance(30 * SECOND_MS)
  }
  await stage.context.otpDispatcher.drained()
  await stage.logIn(number)
  expect((await stage.sendOtp(number, 'owner', UNKNOWN_PLACE)).status).toBe(200)
})

test('no client address is stored in readable form', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', UNKNOWN_PLACE)
  await stage.verifyOtp(number, await stage.codeOf(number), 'owner', UNKNOWN_PLACE)
  for (const table of ['login_codes', 'login_phones', 'login_places']) {
    const rows = await stage.db.database.query<{ text: string }>(`select t::text as text from ${table} t`)
    const text = rows.map(row => row.text).join('\n')
    expect(text).not.toBe('')
    for (const form of ['203.0.113.7', Buffer.from('203.0.113.7').toString('hex')]) {
      expect(text).not.toContain(form)
    }
  }
})

test('moments older than an hour are deleted, for phones too', async () => {
  await stage.sendOtp(randomPhone())
  stage.clock.advance(66 * MINUTE_MS)
  for (const { run } of sessionJobs(stage.context)) await run(stage.clock.now())
  for (const table of ['login_codes', 'login_phones']) {
    expect(await stage.db.database.query(`select audience from ${table}`)).toEqual([])
  }
})
