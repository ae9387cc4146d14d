import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomPhone } from '../../../testing/network.ts'
import { STRANGERS_CODES_AN_HOUR, STRANGERS_PAUSE_MS } from './decide.ts'
import { sessionJobs } from './jobs.ts'
import { from, openStage, otherThan, type Stage } from './test-stage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const STRANGER = from('203.0.113.7')

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
beforeEach(() => stage.clock.advance(60 * MINUTE_MS))
afterAll(() => stage.close())

test.each(['owner', 'admin'] as const)(
  'a stranger keeps no %s from getting a code, and burns none',
  async kind => {
    const [admin = ''] = stage.adminPhones
    const number = kind === 'owner' ? (await stage.newOwner()).number : admin
    for (let count = 0; count < 10; count++) {
      expect((await stage.sendOtp(number, kind, STRANGER)).status).toBe(200)
      stage.clock.advance(30 * SECOND_MS)
    }
    expect((await stage.sendOtp(number, kind, STRANGER)).status).toBe(429)
    await stage.context.otpDispatcher.settled()
    expect((await stage.sendOtp(number, kind)).status).toBe(200)
    const code = await stage.codeOf(number)
    for (let step = 1; step <= 6; step++) {
      expect((await stage.verifyOtp(number, otherThan(code, step), kind, STRANGER)).status).toBe(401)
    }
    stage.clock.advance(30 * SECOND_MS)
    expect((await stage.verifyOtp(number, code, kind)).status).toBe(200)
  },
)

test('a code that a stranger asks for leaves the holder’s as it was, and no pause', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', STRANGER)
  await stage.context.otpDispatcher.settled()
  expect((await stage.sendOtp(number)).status).toBe(200)
  const code = await stage.codeOf(number)
  stage.clock.advance(30 * SECOND_MS)
  await stage.sendOtp(number, 'owner', STRANGER)
  await stage.codeOf(number)
  expect((await stage.verifyOtp(number, code)).status).toBe(200)
})

test('a code is good only at the address that asked for it, where IPv6 counts by the /48', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', from('2001:db8:1:2::1'))
  const code = await stage.codeOf(number)
  expect((await stage.verifyOtp(number, code, 'owner', from('2001:db8:2:2::1'))).status).toBe(401)
  expect((await stage.verifyOtp(number, code, 'owner', from('2001:db8:1:ffff:ffff::9'))).status).toBe(200)
})

/** Asks for codes from an address of its own each, as often as that. */
async function flood(phone: string, requests: number, net = 100): Promise<void> {
  for (let count = 0; count < requests; count++) {
    expect((await stage.sendOtp(phone, 'owner', from(`198.51.${net}.${count}`))).status).toBe(200)
    // So that the last message on the phone is the last code.
    await stage.context.otpDispatcher.settled()
  }
}

const messagesTo = (phone: string) => stage.sent.filter(message => message.phone === phone).length

test('many addresses together send twenty messages an hour to a phone, and then one in three minutes', async () => {
  expect([STRANGERS_CODES_AN_HOUR, STRANGERS_PAUSE_MS]).toEqual([20, 180_000])
  const { number } = await stage.newOwner()
  await flood(number, 60)
  expect(messagesTo(number)).toBe(20)
  for (let minute = 0; minute < 30; minute++) {
    stage.clock.advance(MINUTE_MS)
    await flood(number, 3, minute)
  }
  expect(messagesTo(number)).toBe(30)
})

test('many addresses at once send no more than that', async () => {
  const { number } = await stage.newOwner()
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => stage.sendOtp(number, 'owner', from(`198.51.100.${index}`))),
  )
  await stage.context.otpDispatcher.settled()
  expect(messagesTo(number)).toBe(20)
})

test('a flood keeps nobody out: at a new place the last code on the phone is good, once', async () => {
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

test('a flood is answered alike for a phone that nobody has', async () => {
  const { number } = await stage.newOwner()
  const answers: unknown[] = []
  for (const phone of [number, randomPhone()]) {
    await flood(phone, 25)
    const { status, body } = await stage.sendOtp(phone)
    answers.push({ status, body })
  }
  expect(answers[1]).toEqual(answers[0])
})

test('a place that is known gets a code of its own in the middle of a flood', async () => {
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

test('a login where the phone is now opens the address where ten codes never came', async () => {
  const { number } = await stage.newOwner()
  for (let count = 0; count < 10; count++) {
    await stage.sendOtp(number, 'owner', STRANGER)
    stage.clock.advance(30 * SECOND_MS)
  }
  await stage.context.otpDispatcher.settled()
  await stage.logIn(number)
  expect((await stage.sendOtp(number, 'owner', STRANGER)).status).toBe(200)
})

test('no address is stored readable', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', STRANGER)
  await stage.verifyOtp(number, await stage.codeOf(number), 'owner', STRANGER)
  for (const table of ['login_codes', 'login_phones', 'login_places']) {
    const rows = await stage.db.database.query<{ text: string }>(`select t::text as text from ${table} t`)
    const text = rows.map(row => row.text).join('\n')
    expect(text).not.toBe('')
    for (const form of ['203.0.113.7', Buffer.from('203.0.113.7').toString('hex')]) {
      expect(text).not.toContain(form)
    }
  }
})

test('what is an hour old is forgotten, for phones too', async () => {
  await stage.sendOtp(randomPhone())
  stage.clock.advance(66 * MINUTE_MS)
  for (const { run } of sessionJobs(stage.context)) await run(stage.clock.now())
  for (const table of ['login_codes', 'login_phones']) {
    expect(await stage.db.database.query(`select audience from ${table}`)).toEqual([])
  }
})
