import { beforeEach, expect } from 'vitest'
import { totpAt } from '../../../kernel/totp.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { randomPhone } from '../../../testing/network.ts'
import { call } from '../../../testing/test-server.ts'
import { logIn } from './log-in.ts'
import { otherThan, stage, test } from './testing/session-stage.ts'

/** Every refusal of a login must say what to do next. */

const ADMIN = '9999999999'
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const machine = { ...manualClock(new Date('2026-11-20T10:00:00.000Z')), offsetMs: () => 0 }

beforeEach(() => stage.clock.advance(61 * 60_000))

async function messageOf(outcome: Promise<unknown>): Promise<string> {
  const error = await outcome.then(
    () => 'nothing was refused',
    (refused: unknown) => refused,
  )
  return error instanceof Error ? error.message : String(error)
}

function asAdmin(phone: string, code: string, totp?: string): Promise<unknown> {
  const context = { ...stage.context, clock: machine, adminTotpSecrets: new Map([[ADMIN, SECRET]]) }
  const request = {
    phone,
    code,
    totp,
    clientAddress: '127.0.0.1',
    browserToken: undefined,
    userAgent: undefined,
  }
  return logIn(context, 'admin', request, stage.clock.now())
}

test('a refusal for a missing totp asks for the six digits of the app with the same code, which then works', async () => {
  await stage.sendOtp(ADMIN, 'admin')
  const code = await stage.codeOf(ADMIN)
  const missing = await messageOf(asAdmin(ADMIN, code))
  expect(missing).toMatch(
    /^Send totp too, the six digits .*authenticator app.* with the same code; if the code/,
  )
  const now = () => totpAt(SECRET, machine.now().getTime())
  const wrong = await messageOf(asAdmin(ADMIN, code, otherThan(now())))
  expect(wrong).toMatch(
    /send the next six digits of the authenticator app as totp with the same code, or ask/,
  )
  await asAdmin(ADMIN, code, now())
})

test('a refusal reveals neither which factor is wrong nor whether the phone is an administrator’s', async () => {
  await stage.sendOtp(ADMIN, 'admin')
  const code = await stage.codeOf(ADMIN)
  const right = totpAt(SECRET, machine.now().getTime())
  const [withTotp, without] = [
    [
      [ADMIN, code, otherThan(right)],
      [ADMIN, otherThan(code), right],
      [ADMIN, otherThan(code), otherThan(right)],
      [randomPhone(), code, right],
    ],
    [
      [ADMIN, code],
      [ADMIN, otherThan(code)],
      [randomPhone(), code],
    ],
  ] as const
  for (const attempts of [withTotp, without]) {
    const messages: string[] = []
    for (const [phone, given, totp] of attempts) messages.push(await messageOf(asAdmin(phone, given, totp)))
    expect(new Set(messages).size).toBe(1)
  }
})

const reply = async (path: string, body: object, headers: Record<string, string> = {}) =>
  (await call(stage.server, 'POST', path, { body, headers })).body

const REFUSALS: readonly [string, () => Promise<unknown>, RegExp][] = [
  [
    'a wrong code',
    () => reply('/v1/auth/verify-otp', { phone: randomPhone(), code: '000000' }),
    /ask for a new one from here \(send-otp\)/,
  ],
  [
    'a code in another form',
    () => reply('/v1/auth/verify-otp', { phone: randomPhone(), code: '12' }),
    /six digits/,
  ],
  [
    'a totp in another form',
    () => reply('/v1/admin/auth/verify-otp', { phone: ADMIN, code: '000000', totp: '12' }),
    /such as 287082.*authenticator app/,
  ],
  ['another phone than an Indian one', () => reply('/v1/auth/send-otp', { phone: '12345' }), /10 digits/],
  [
    'a second code at once',
    async () => {
      const phone = randomPhone()
      await stage.sendOtp(phone)
      return reply('/v1/auth/send-otp', { phone })
    },
    /send that one; try again in 30 s/,
  ],
  [
    'a page of another site',
    () => reply('/v1/auth/send-otp', { phone: randomPhone() }, { origin: 'https://thief.example' }),
    /send the header Origin/,
  ],
  [
    'a session that is over',
    () => reply('/v1/auth/logout', {}, { cookie: 'service_session=ses_live_x' }),
    /log in again/,
  ],
  [
    'an administrator’s session that is over',
    () => reply('/v1/admin/auth/logout', {}, { cookie: 'service_admin_session=ses_live_x' }),
    /log in again \(POST \/v1\/admin\/auth\/send-otp\)/,
  ],
  ['no session', () => reply('/v1/auth/logout', {}), /POST \/v1\/auth\/verify-otp/],
]

test.each(REFUSALS)('the refusal of %s says what to do next', async (_what, ask, next) => {
  expect(await ask()).toMatchObject({ error: { message: expect.stringMatching(next) } })
})
