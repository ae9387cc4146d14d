import { beforeEach, expect } from 'vitest'
import { randomPhone } from '../../../testing/network.ts'
import { ALL_WRONG_TRIES_AN_HOUR, UNKNOWN_PLACES_TRIES_AN_HOUR } from './decide.ts'
import { sessionJobs } from './jobs.ts'
import { browserOf, from, otherThan, stage, test } from './testing/session-stage.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const HOME = from('192.0.2.1')
const SECOND_CODE = { status: 401, body: { error: { details: { second_code_required: true } } } }

beforeEach(() => stage.clock.advance(61 * MINUTE_MS))

/** Makes concurrent wrong tries, five from each address. */
async function guess(phone: string, tries: number): Promise<void> {
  for (let done = 0; done < tries; done += 5) {
    const headers = from(`10.${Math.floor(done / 5 / 250)}.0.${(done / 5) % 250}`)
    await stage.sendOtp(phone, 'owner', headers)
    const sent = await stage.codeOf(phone)
    const code = sent === 'none' ? '000000' : sent
    await Promise.all(
      Array.from({ length: Math.min(5, tries - done) }, (_, step) =>
        stage.verifyOtp(phone, otherThan(code, step + 1), 'owner', headers),
      ),
    )
  }
}

async function codeFor(phone: string, headers: Record<string, string>): Promise<string> {
  expect((await stage.sendOtp(phone, 'owner', headers)).status).toBe(200)
  return stage.codeOf(phone)
}

test('up to a hundred tries from unknown places one right code is enough, and beyond that a login takes two', async () => {
  expect(UNKNOWN_PLACES_TRIES_AN_HOUR).toBe(100)
  const { number } = await stage.newOwner()
  await guess(number, 99)
  const stranger = from('203.0.113.50')
  expect((await stage.verifyOtp(number, await codeFor(number, stranger), 'owner', stranger)).status).toBe(200)

  await guess(number, 1)
  const first = await codeFor(number, HOME)
  expect(await stage.verifyOtp(number, first, 'owner', HOME)).toMatchObject(SECOND_CODE)
  expect((await stage.verifyOtp(number, first, 'owner', HOME)).status).toBe(401)
  const second = await codeFor(number, HOME)
  expect((await stage.verifyOtp(number, second, 'owner', HOME)).status).toBe(200)
})

test('concurrent tries from unknown places are all counted', async () => {
  const { number } = await stage.newOwner()
  const places = Array.from({ length: 24 }, (_, index) => from(`172.16.0.${index}`))
  // One after the other, so that the last message is the last code.
  let code = 'none'
  for (const headers of places) {
    await stage.sendOtp(number, 'owner', headers)
    code = await stage.codeOf(number)
  }
  await Promise.all(
    places.flatMap(headers =>
      [1, 2, 3, 4, 5].map(step => stage.verifyOtp(number, otherThan(code, step), 'owner', headers)),
    ),
  )
  expect(await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)).toMatchObject(SECOND_CODE)
})

test('a first code is remembered only at its own place, and for ten minutes', async () => {
  const { number } = await stage.newOwner()
  await guess(number, 101)
  await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)
  const other = from('192.0.2.99')
  expect(await stage.verifyOtp(number, await codeFor(number, other), 'owner', other)).toMatchObject(
    SECOND_CODE,
  )
  stage.clock.advance(10 * MINUTE_MS)
  expect(await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)).toMatchObject(SECOND_CODE)
})

test('a known network and a known browser need one code, however many tries unknown places make', async () => {
  const { number } = await stage.newOwner()
  const reply = await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)
  const browser = browserOf(reply.headers)
  stage.clock.advance(MINUTE_MS)
  await guess(number, 110)
  expect((await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)).status).toBe(200)
  stage.clock.advance(MINUTE_MS)
  const abroad = { ...from('203.0.113.200'), cookie: browser }
  const there = await stage.verifyOtp(number, await codeFor(number, abroad), 'owner', abroad)
  expect(there.status).toBe(200)
  expect(browserOf(there.headers)).toBe(browser)
})

test('a known browser has a code and tries of its own, even if others share its network', async () => {
  const { number } = await stage.newOwner()
  const reply = await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)
  stage.clock.advance(MINUTE_MS)
  const withBrowser = { ...HOME, cookie: browserOf(reply.headers) }
  const code = await codeFor(number, withBrowser)
  for (let step = 1; step <= 6; step++) {
    await stage.verifyOtp(number, otherThan(code, step), 'owner', HOME)
  }
  for (let count = 0; count < 10; count++) {
    await stage.sendOtp(number, 'owner', HOME)
    stage.clock.advance(1_000)
  }
  expect((await stage.verifyOtp(number, code, 'owner', withBrowser)).status).toBe(200)
})

test('a browser known for one phone is unknown for other phones and for the other kind of login', async () => {
  const { number: thiefs } = await stage.newOwner()
  const reply = await stage.verifyOtp(thiefs, await codeFor(thiefs, HOME), 'owner', HOME)
  const token = browserOf(reply.headers)
  const { number } = await stage.newOwner()
  await guess(number, 101)
  for (const cookie of [token, 'service_browser=brw_live_made-up', 'service_browser=']) {
    const headers = { ...from('203.0.113.9'), cookie }
    expect(await stage.verifyOtp(number, await codeFor(number, headers), 'owner', headers)).toMatchObject(
      SECOND_CODE,
    )
    stage.clock.advance(11 * MINUTE_MS)
  }
  const rows = await stage.db.database.query<{ text: string }>(`select t::text as text from login_places t`)
  expect(rows.map(({ text }) => text).join()).not.toContain(token.split('=')[1])
})

test('a login gives an unknown browser a new token, never one that it sent', async () => {
  const { number: thiefs } = await stage.newOwner()
  const reply = await stage.verifyOtp(thiefs, await codeFor(thiefs, HOME), 'owner', HOME)
  const planted = { ...from('192.0.2.44'), cookie: browserOf(reply.headers) }
  const { number } = await stage.newOwner()
  const login = await stage.verifyOtp(number, await codeFor(number, planted), 'owner', planted)
  expect(login.status).toBe(200)
  expect(browserOf(login.headers)).not.toBe(planted.cookie)
  expect(login.headers.getSetCookie().at(-1)).toMatch(/; HttpOnly; SameSite=Lax$|; Path=\/v1\/auth/)
})

test('guessing over many phones makes logins from unknown places take two codes, and not those from known places', async () => {
  const { number } = await stage.newOwner()
  await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)
  stage.clock.advance(MINUTE_MS)
  await stage.db.database.query(`insert into login_wrong_tries (minute, tries) values ($1, $2)`, [
    stage.clock.now(),
    ALL_WRONG_TRIES_AN_HOUR,
  ])
  const { number: stranger } = await stage.newOwner()
  await guess(randomPhone(), 1)
  const elsewhere = from('203.0.113.77')
  const right = await stage.verifyOtp(stranger, await codeFor(stranger, elsewhere), 'owner', elsewhere)
  expect(right).toMatchObject(SECOND_CODE)
  expect((await stage.verifyOtp(number, await codeFor(number, HOME), 'owner', HOME)).status).toBe(200)
})

test('at most twenty places of a phone are kept, and places unused for half a year are deleted', async () => {
  const { number } = await stage.newOwner()
  for (let count = 0; count < 12; count++) {
    const headers = from(`192.0.2.${count}`)
    expect((await stage.verifyOtp(number, await codeFor(number, headers), 'owner', headers)).status).toBe(200)
    stage.clock.advance(MINUTE_MS)
  }
  const places = async () =>
    (
      await stage.db.database.query(
        `select place from login_places where phone_index = (
           select phone_index from sessions order by id desc limit 1)`,
      )
    ).length
  expect(await places()).toBe(20)
  stage.clock.advance(180 * DAY_MS)
  for (const { run } of sessionJobs(stage.context)) await run(stage.clock.now())
  expect(await stage.db.database.query(`select place from login_places`)).toEqual([])
})
