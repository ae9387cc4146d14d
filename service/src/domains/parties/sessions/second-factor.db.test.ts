import { beforeEach, expect } from 'vitest'
import { totpAt } from '../../../kernel/totp.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { randomPhone } from '../../../testing/network.ts'
import { logIn } from './log-in.ts'
import { from, otherThan, stage, test } from './testing/session-stage.ts'

const ADMIN = '9999999999'
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const STEP_MS = 30_000
const REFUSED = { code: 'authentication_error', details: { totp_required: true } }

/** The machine's clock; the stage has the sandbox clock, which can be advanced. */
const machine = { ...manualClock(new Date('2026-11-20T10:00:00.000Z')), offsetMs: () => 0 }

beforeEach(() => {
  stage.clock.advance(61 * 60_000)
  machine.advance(10 * STEP_MS)
})

const totp = (steps = 0) => totpAt(SECRET, machine.now().getTime() + steps * STEP_MS)

function attempt(phone: string, code: string, given: string | undefined, clientAddress = '127.0.0.1') {
  const context = { ...stage.context, clock: machine, adminTotpSecrets: new Map([[ADMIN, SECRET]]) }
  const request = { phone, code, totp: given, clientAddress, browserToken: undefined, userAgent: undefined }
  return logIn(context, 'admin', request, stage.clock.now())
}

async function codeFor(phone: string, clientAddress = '127.0.0.1'): Promise<string> {
  await stage.sendOtp(phone, 'admin', from(clientAddress))
  return stage.codeOf(phone)
}

test('an administrator needs the code on the phone and the code of the app, by the machine’s clock', async () => {
  const code = await codeFor(ADMIN)
  await expect(attempt(ADMIN, code, undefined)).rejects.toMatchObject(REFUSED)
  await expect(attempt(ADMIN, code, totpAt(SECRET, stage.clock.now().getTime()))).rejects.toMatchObject(
    REFUSED,
  )
  await expect(attempt(ADMIN, otherThan(code), totp())).rejects.toMatchObject(REFUSED)
  expect((await attempt(ADMIN, code, totp())).token).toMatch(/^ses_live_/)
})

test.each([-1, 1])('a code of the app is valid %d step away and invalid two steps away', async step => {
  const code = await codeFor(ADMIN)
  await expect(attempt(ADMIN, code, totp(2 * step))).rejects.toMatchObject(REFUSED)
  expect((await attempt(ADMIN, code, totp(step))).token).toMatch(/^ses_live_/)
})

test('each code of the app works once, also for concurrent logins, and earlier codes fail afterwards', async () => {
  const given = totp()
  await attempt(ADMIN, await codeFor(ADMIN), given)
  stage.clock.advance(STEP_MS)
  const code = await codeFor(ADMIN)
  await expect(attempt(ADMIN, code, given)).rejects.toMatchObject(REFUSED)
  await expect(attempt(ADMIN, code, totp(-1))).rejects.toMatchObject(REFUSED)
  const outcomes = await Promise.allSettled([attempt(ADMIN, code, totp(1)), attempt(ADMIN, code, totp(1))])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a code of the app is not used up by a login with a wrong code of the phone', async () => {
  const code = await codeFor(ADMIN)
  const given = totp()
  await expect(attempt(ADMIN, otherThan(code), given)).rejects.toMatchObject(REFUSED)
  expect((await attempt(ADMIN, code, given)).token).toMatch(/^ses_live_/)
})

test('a phone that is not an administrator’s gets the same refusal', async () => {
  const errors: unknown[] = []
  for (const phone of [ADMIN, randomPhone()]) {
    await codeFor(phone)
    errors.push(await attempt(phone, '000000', totp(5)).catch((error: unknown) => String(error)))
  }
  expect(errors[1]).toBe(errors[0])
})

test('owners need no second factor', async () => {
  const { number } = await stage.newOwner()
  await stage.sendOtp(number)
  expect((await stage.verifyOtp(number, await stage.codeOf(number))).status).toBe(200)
})

test('an attacker who reads the phone’s messages needs two right codes of the app from unknown places', async () => {
  for (let place = 0; place < 21; place++) {
    const thief = `10.0.0.${place}`
    const code = await codeFor(ADMIN, thief)
    for (let step = 3; step < 8; step++) {
      await expect(attempt(ADMIN, code, totp(step), thief)).rejects.toMatchObject(REFUSED)
    }
  }
  const place = '10.0.1.1'
  const given = totp()
  await expect(attempt(ADMIN, await codeFor(ADMIN, place), given, place)).rejects.toMatchObject({
    code: 'authentication_error',
    details: { second_code_required: true },
  })
  stage.clock.advance(STEP_MS)
  const second = await codeFor(ADMIN, place)
  await expect(attempt(ADMIN, second, given, place)).rejects.toMatchObject(REFUSED)
  expect((await attempt(ADMIN, second, totp(1), place)).token).toMatch(/^ses_live_/)
})
