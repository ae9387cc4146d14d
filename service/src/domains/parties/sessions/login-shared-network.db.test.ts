import { beforeEach, expect } from 'vitest'
import { browserOf, from, type Kind, otherThan, stage, test } from './testing/session-stage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const NETWORK = from('192.0.2.1')

beforeEach(() => stage.clock.advance(61 * MINUTE_MS))

/** A browser, which keeps the cookies that it gets. */
function openBrowser(kind: Kind = 'owner', network = NETWORK) {
  let cookie = 'none'
  const headers = () => ({ ...network, cookie })
  const keep = <R extends { readonly headers: Headers }>(reply: R): R => {
    const own = browserOf(reply.headers, kind)
    if (own !== 'none') cookie = own
    return reply
  }
  return {
    send: async (phone: string) => keep(await stage.sendOtp(phone, kind, headers())),
    verify: async (phone: string, code: string) => keep(await stage.verifyOtp(phone, code, kind, headers())),
  }
}

type Browser = ReturnType<typeof openBrowser>

/** What a neighbour does: asks for a code whenever there is one, and uses up all tries. */
async function attack(phone: string, by: Browser): Promise<void> {
  if ((await by.send(phone)).status === 429) await by.send(phone)
  const code = await stage.codeOf(phone)
  for (let step = 1; step <= 5; step++) await by.verify(phone, otherThan(code === 'none' ? '0' : code, step))
}

const withoutCookies = (kind: Kind = 'owner'): Browser => ({
  send: phone => stage.sendOtp(phone, kind, NETWORK),
  verify: (phone, code) => stage.verifyOtp(phone, code, kind, NETWORK),
})

/** Asks for codes and types each, as a person does. Returns the details of each refused code until the login. */
async function logIn(phone: string, browser: Browser, neighbours: readonly Browser[]): Promise<unknown[]> {
  const refused: unknown[] = []
  while (refused.length < 4) {
    if ((await browser.send(phone)).status === 429) expect((await browser.send(phone)).status).toBe(200)
    const code = await stage.codeOf(phone)
    for (const neighbour of neighbours) await attack(phone, neighbour)
    const { status, body } = await browser.verify(phone, code)
    if (status === 200) return refused
    expect(status).toBe(401)
    refused.push((body as { error: { details?: unknown } }).error.details ?? 'wrong')
  }
  throw new Error('no login')
}

const ONE_MORE = { second_code_required: true }

test.each(['owner', 'admin'] as const)(
  'others in its network neither keep a new browser from a code nor use up its tries: %s',
  async kind => {
    const [admin = ''] = stage.adminPhones
    const number = kind === 'owner' ? (await stage.newOwner()).number : admin
    const neighbours = [withoutCookies(kind), openBrowser(kind)]
    for (let minute = 0; minute < 45; minute++) {
      for (const neighbour of neighbours) await attack(number, neighbour)
      stage.clock.advance(MINUTE_MS)
    }
    // Its first code, asked for without a cookie, may be used up; the next ones are its own.
    const refused = await logIn(number, openBrowser(kind), neighbours)
    expect(refused.filter(why => why !== 'wrong')).toEqual([ONE_MORE])
    expect(refused.length).toBeLessThanOrEqual(2)
  },
)

test('without an attack a new browser needs one code, with cookies and without', async () => {
  const { number } = await stage.newOwner()
  expect(await logIn(number, openBrowser(), [])).toEqual([])
  stage.clock.advance(MINUTE_MS)
  const { number: other } = await stage.newOwner()
  expect(await logIn(other, withoutCookies(), [])).toEqual([])
})

test('while one code is not enough a new browser needs two, though it asks for the first without a cookie', async () => {
  const { number } = await stage.newOwner()
  await stage.db.database.query(`insert into login_wrong_tries (minute, tries) values ($1, $2)`, [
    stage.clock.now(),
    1_001,
  ])
  expect(await logIn(number, openBrowser(), [])).toEqual([ONE_MORE])
})

test('a refusal gives a new browser a cookie too, so that its next request counts on its own', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number, 'owner', NETWORK)
  const refused = await stage.sendOtp(number, 'owner', NETWORK)
  expect(refused.status).toBe(429)
  const cookie = browserOf(refused.headers)
  expect(cookie).toMatch(/^service_browser=brw_live_/)
  const own = await stage.sendOtp(number, 'owner', { ...NETWORK, cookie })
  expect([own.status, browserOf(own.headers)]).toEqual([200, 'none'])
  expect((await stage.sendOtp(number, 'owner', { ...NETWORK, cookie })).status).toBe(429)
})

test('a known network is exempt from the common limits for ten codes an hour, no matter who asks there, and then limited like others', async () => {
  const { number } = await stage.newOwner()
  await logIn(number, openBrowser(), [])
  stage.clock.advance(MINUTE_MS)
  const counted = async () => {
    const [row] = await stage.db.database.query<{ tries: number }>(
      `select cardinality(tried_at) as tries from login_phones order by last_sent_at desc limit 1`,
    )
    return row?.tries
  }
  const before = await counted()
  // The login's own code is the first of the ten.
  for (let count = 0; count < 9; count++) await attack(number, openBrowser())
  expect(await counted()).toBe(before)
  for (let count = 0; count < 4; count++) await attack(number, openBrowser())
  expect(await counted()).toBe((before ?? 0) + 20)
})

test('a known browser needs one code, however many its network’s neighbours ask for and try', async () => {
  const { number } = await stage.newOwner()
  const browser = openBrowser()
  await logIn(number, browser, [])
  for (let count = 0; count < 40; count++) {
    stage.clock.advance(30 * SECOND_MS)
    await attack(number, openBrowser())
  }
  expect(await logIn(number, browser, [openBrowser()])).toEqual([])
})

test('while codes are guessed by the ten thousand, a login from a new place takes three codes', async () => {
  const { number } = await stage.newOwner()
  await stage.db.database.query(`insert into login_wrong_tries (minute, tries) values ($1, $2)`, [
    stage.clock.now(),
    20_001,
  ])
  const refused = await logIn(number, openBrowser(), [openBrowser()])
  expect(refused.filter(why => why !== 'wrong')).toEqual([ONE_MORE, ONE_MORE])
})
