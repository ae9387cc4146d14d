import { beforeEach, expect } from 'vitest'
import type { Queryable } from '../../../db/database.ts'
import { formatId } from '../../../kernel/ids.ts'
import { randomPhone } from '../../../testing/network.ts'
import type { SessionsContext } from './context.ts'
import { sendCode } from './send-code.ts'
import { otherThan, type Stage, stage, test } from './testing/session-stage.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const WRONG = { status: 401, body: { error: { code: 'authentication_error' } } }

beforeEach(() => stage.clock.advance(60 * MINUTE_MS))

test('an owner logs in with the code that was sent, and the message names the platform', async () => {
  const { number, id, platformId } = await stage.newOwner()
  expect(await stage.sendOtp(`+91 ${number}`)).toMatchObject({
    status: 200,
    body: { sent: true, expires_in: 300 },
  })
  const code = await stage.codeOf(number)
  expect(code).toMatch(/^\d{6}$/)
  const { status, body } = await stage.verifyOtp(`0${number}`, code)
  expect(status).toBe(200)
  expect(body).toEqual({
    owner_ids: [formatId('own', id)],
    owners: [
      {
        owner_id: formatId('own', id),
        platform_id: formatId('plt', platformId),
        platform_name: expect.any(String),
      },
    ],
    invitations: 0,
    expires_at: new Date(stage.clock.now().getTime() + 12 * 60 * MINUTE_MS).toISOString(),
  })
})

test('an administrator logs in for an hour, with codes separate from those of owners', async () => {
  const [phone = ''] = stage.adminPhones
  await stage.newOwner(phone)
  await stage.sendOtp(phone, 'admin')
  const code = await stage.codeOf(phone)
  expect(await stage.verifyOtp(phone, code)).toMatchObject(WRONG)
  const { status, body } = await stage.verifyOtp(phone, code, 'admin')
  expect(status).toBe(200)
  expect(body).toEqual({ expires_at: new Date(stage.clock.now().getTime() + 60 * MINUTE_MS).toISOString() })
})

test('a login uses its code up, also if two pages send it concurrently', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  const replies = await Promise.all(Array.from({ length: 4 }, () => stage.verifyOtp(number, code)))
  expect(replies.map(reply => reply.status).toSorted()).toEqual([200, 401, 401, 401])
  expect(await stage.verifyOtp(number, code)).toMatchObject(WRONG)
})

test('concurrent guesses share five tries, after which the right code fails too', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  const guesses = Array.from({ length: 40 }, (_, index) =>
    stage.verifyOtp(number, otherThan(code, index + 1)),
  )
  for (const reply of await Promise.all(guesses)) expect(reply).toMatchObject(WRONG)
  expect(await stage.verifyOtp(number, code)).toMatchObject(WRONG)
  const [row] = await stage.db.database.query<{ tries: number }>(
    'select min(tries_left) as tries from login_codes',
  )
  expect(row?.tries).toBe(0)
})

test('the fifth try can succeed', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  for (let step = 1; step <= 4; step++) await stage.verifyOtp(number, otherThan(code, step))
  expect((await stage.verifyOtp(number, code)).status).toBe(200)
})

test('a code is valid for exactly five minutes', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  stage.clock.advance(5 * MINUTE_MS)
  expect(await stage.verifyOtp(number, await stage.codeOf(number))).toMatchObject(WRONG)
  await stage.sendOtp(number)
  stage.clock.advance(5 * MINUTE_MS - 1)
  expect((await stage.verifyOtp(number, await stage.codeOf(number))).status).toBe(200)
})

test('a new code makes the old one invalid', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const old = await stage.codeOf(number)
  stage.clock.advance(30 * SECOND_MS)
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  if (old !== code) expect(await stage.verifyOtp(number, old)).toMatchObject(WRONG)
  expect((await stage.verifyOtp(number, code)).status).toBe(200)
})

test('the responses for known and unknown phones are the same', async () => {
  const { number } = await stage.newOwner()
  const shapes: unknown[] = []
  for (const phone of [number, randomPhone()]) {
    const replies = [
      await stage.verifyOtp(phone, '000000'),
      await stage.sendOtp(phone),
      await stage.sendOtp(phone),
      await stage.verifyOtp(phone, otherThan(await stage.codeOf(number))),
    ]
    stage.clock.advance(29_999)
    replies.push(await stage.sendOtp(phone))
    stage.clock.advance(1)
    replies.push(await stage.sendOtp(phone))
    shapes.push(replies.map(withoutNames))
  }
  expect(shapes[1]).toEqual(shapes[0])
  expect(shapes[0]).toMatchObject([
    { status: 401 },
    { status: 200, body: { sent: true } },
    { status: 429, headers: { 'retry-after': '30' } },
    { status: 401 },
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 200 },
  ])
})

/** A response without the fields that always differ. */
function withoutNames({ status, headers, body }: Awaited<ReturnType<Stage['sendOtp']>>) {
  const { 'x-request-id': _id, date: _date, ...rest } = Object.fromEntries(headers)
  const cookies = headers.getSetCookie().map(cookie => cookie.replace(/brw_live_[\w-]+/, 'brw'))
  return {
    status,
    headers: { ...rest, 'set-cookie': cookies },
    body: JSON.parse(JSON.stringify(body).replaceAll(/req_\w+/g, 'req')),
  }
}

test('for an unknown phone both kinds of login store the same and send nothing', async () => {
  for (const kind of ['owner', 'admin'] as const) {
    const phone = randomPhone()
    const before = await codes()
    expect((await stage.sendOtp(phone, kind)).status).toBe(200)
    expect(await codes()).toBe(before + 1)
    expect(await stage.codeOf(phone)).toBe('none')
  }
})

async function codes(): Promise<number> {
  const [row] = await stage.db.database.query<{ count: bigint }>(
    'select count(*) as count from login_codes where code_hash is not null and tries_left = 5',
  )
  return Number(row?.count ?? 0)
}

test('before its response a request sends the same queries for every phone, and none for its owner', async () => {
  const { number } = await stage.newOwner()
  const asked: string[][] = []
  for (const [phone, kind] of [
    [number, 'owner'],
    [randomPhone(), 'owner'],
    ['9999999999', 'admin'],
    [randomPhone(), 'admin'],
  ] as const) {
    const statements: string[] = []
    const { database } = stage.context
    const noting = (queryable: Queryable): Queryable => ({
      query(text, ...rest) {
        statements.push(text)
        return queryable.query(text, ...rest)
      },
    })
    const context: SessionsContext = {
      ...stage.context,
      database: {
        ...database,
        ...noting(database),
        inTransaction: work => database.inTransaction(tx => work(noting(tx))),
      },
      otpDispatcher: { dispatch: () => void statements.push('dispatch'), drained: async () => undefined },
    }
    await sendCode(
      context,
      kind,
      { phone, clientAddress: '127.0.0.1', browserToken: undefined },
      stage.clock.now(),
    )
    asked.push(statements)
  }
  for (const statements of asked) expect(statements).toEqual(asked[0])
  expect(asked[0]?.join()).not.toContain('owners')
  expect(asked[0]?.at(-1)).toBe('dispatch')
})

test('after ten codes in an hour without a login one is sent every three minutes, for unknown phones too', async () => {
  const { number } = await stage.newOwner()
  for (const phone of [number, randomPhone()]) {
    for (let count = 0; count < 10; count++) {
      expect((await stage.sendOtp(phone)).status).toBe(200)
      stage.clock.advance(30 * SECOND_MS)
    }
    for (let count = 0; count < 3; count++) {
      const refused = await stage.sendOtp(phone)
      expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
      const waitS = Number(refused.headers.get('retry-after'))
      expect(waitS).toBe(count === 0 ? 150 : 180)
      stage.clock.advance((waitS - 1) * SECOND_MS)
      expect((await stage.sendOtp(phone)).status).toBe(429)
      stage.clock.advance(SECOND_MS)
      expect((await stage.sendOtp(phone)).status).toBe(200)
    }
  }
})

test('a login resets the hourly limit, but not the pause of 30 s', async () => {
  const { number } = await stage.newOwner()
  for (let count = 0; count < 10; count++) {
    await stage.sendOtp(number)
    // One after the other, so that the last message is the last code.
    await stage.codeOf(number)
    if (count < 9) stage.clock.advance(30 * SECOND_MS)
  }
  expect((await stage.verifyOtp(number, await stage.codeOf(number))).status).toBe(200)
  expect((await stage.sendOtp(number)).headers.get('retry-after')).toBe('30')
  stage.clock.advance(30 * SECOND_MS)
  expect((await stage.sendOtp(number)).status).toBe(200)
})

test('of two concurrent requests only one sends a code', async () => {
  const { number } = await stage.newOwner()
  const replies = await Promise.all(Array.from({ length: 6 }, () => stage.sendOtp(number)))
  expect(replies.map(reply => reply.status).toSorted()).toEqual([200, 429, 429, 429, 429, 429])
  await stage.codeOf(number)
  expect(stage.sent.filter(message => message.phone === number)).toHaveLength(1)
})

test.each([
  ['phone', { phone: '12345', code: '123456' }],
  ['phone', { phone: '+1 9876543210', code: '123456' }],
  ['code', { phone: '9876543210', code: '12345' }],
  ['code', { phone: '9876543210', code: '１２３４５６' }],
])('an invalid %s is refused with the field name: %j', async (field, { phone, code }) => {
  const refused = await stage.verifyOtp(phone, code)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error', field } } })
})

test('neither a code nor its phone is stored in readable form', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  const code = await stage.codeOf(number)
  for (const table of ['login_codes', 'login_phones', 'sessions']) {
    const rows = await stage.db.database.query<{ text: string }>(`select t::text as text from ${table} t`)
    const texts = rows.map(({ text }) => text).join('\n')
    for (const secret of [number, code]) {
      expect(texts).not.toContain(`"${secret}"`)
      expect(texts).not.toContain(Buffer.from(secret).toString('hex'))
    }
  }
})
