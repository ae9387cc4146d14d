import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { randomPhone } from '../../testing/network.ts'
import { CODES_AN_HOUR_ANYWHERE } from './decide.ts'
import { sessionJobs } from './index.ts'
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
    await stage.context.outbox.settled()
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
  await stage.context.outbox.settled()
  expect((await stage.sendOtp(number)).status).toBe(200)
  const code = await stage.codeOf(number)
  stage.clock.advance(30 * SECOND_MS)
  await stage.sendOtp(number, 'owner', STRANGER)
  await stage.codeOf(number)
  expect((await stage.verifyOtp(number, code)).status).toBe(200)
})

test('a code is good only at the address that asked for it, where IPv6 counts by the /64', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', from('2001:db8:1:2::1'))
  const code = await stage.codeOf(number)
  expect((await stage.verifyOtp(number, code, 'owner', from('2001:db8:1:3::1'))).status).toBe(401)
  expect((await stage.verifyOtp(number, code, 'owner', from('2001:db8:1:2:ffff::9'))).status).toBe(200)
})

/** Codes from an address of its own each, until the hour's are used up. */
async function useUpTheHour(phone: string, alreadySent = 0): Promise<void> {
  for (let count = alreadySent; count < CODES_AN_HOUR_ANYWHERE; count++) {
    expect((await stage.sendOtp(phone, 'owner', from(`198.51.100.${count}`))).status).toBe(200)
  }
}

test('many addresses together get a hundred codes an hour, for unknown phones too', async () => {
  expect(CODES_AN_HOUR_ANYWHERE).toBe(100)
  const { number } = await stage.newOwner()
  for (const phone of [number, randomPhone()]) {
    await useUpTheHour(phone)
    const refused = await stage.sendOtp(phone, 'owner', STRANGER)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
    expect(refused.headers.get('retry-after')).toBe('3600')
    expect((await stage.sendOtp(phone, 'admin', STRANGER)).status).toBe(200)
    stage.clock.advance(60 * MINUTE_MS)
    expect((await stage.sendOtp(phone, 'owner', STRANGER)).status).toBe(200)
  }
})

test('many addresses at once get no more than that', async () => {
  const phone = randomPhone()
  const replies = await Promise.all(
    Array.from({ length: CODES_AN_HOUR_ANYWHERE + 10 }, (_, index) =>
      stage.sendOtp(phone, 'owner', from(`198.51.100.${index}`)),
    ),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(CODES_AN_HOUR_ANYWHERE)
})

test('a login resets the counters of its phone at every address', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', STRANGER)
  stage.clock.advance(30 * SECOND_MS)
  const code = await stage.codeOf(number)
  await useUpTheHour(number, 1)
  expect((await stage.sendOtp(number)).status).toBe(429)
  expect((await stage.verifyOtp(number, code, 'owner', STRANGER)).status).toBe(200)
  expect((await stage.sendOtp(number)).status).toBe(200)
})

test('a login where the phone is now opens the address where ten codes never came', async () => {
  const { number } = await stage.newOwner()
  for (let count = 0; count < 10; count++) {
    await stage.sendOtp(number, 'owner', STRANGER)
    stage.clock.advance(30 * SECOND_MS)
  }
  await stage.context.outbox.settled()
  await stage.logIn(number)
  expect((await stage.sendOtp(number, 'owner', STRANGER)).status).toBe(200)
})

test('no address is stored readable', async () => {
  await stage.sendOtp(randomPhone(), 'owner', STRANGER)
  for (const table of ['login_codes', 'login_phones']) {
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
