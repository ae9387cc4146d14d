import { createHmac } from 'node:crypto'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, openApi } from './src/api.ts'
import { ADMIN_PHONE } from './src/log-in.ts'
import { startService } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

/** The base32 of RFC 6238's secret, from which an authenticator app makes its codes. */
const ADMIN_TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const MASTER_KEY = Buffer.alloc(32, 'second factor').toString('base64')

let stage: Stage

beforeAll(async () => {
  stage = await openStage({ MASTER_KEY, ADMIN_TOTP_SECRET })
})
afterAll(() => stage.close())

/** The app's current code, computed here by the RFC and not by the service. */
function appCode(): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const digest = createHmac('sha1', '12345678901234567890').update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

async function codeFor(api: Api): Promise<string> {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
  await api.ok(routes.sendAdminOtp, { body: { phone: ADMIN_PHONE } })
  return (await api.ok(routes.getSandboxOtp, { params: { phone: ADMIN_PHONE } })).code
}

test('an administrator logs in with both codes at any test clock, and no node accepts them again', async () => {
  const { api } = stage
  await api.ok(routes.advanceClock, { body: { advance_seconds: 86_400 } })
  const body = { phone: ADMIN_PHONE, code: await codeFor(api) }
  const missing = await api.refused(routes.verifyAdminOtp, 401, 'authentication_error', { body })
  expect(missing.details).toEqual({ totp_required: true })
  const totp = appCode()
  await api.ok(routes.verifyAdminOtp, { body: { ...body, totp } })

  const other = await startService({ DATABASE_URL: stage.database.url, MASTER_KEY, ADMIN_TOTP_SECRET })
  try {
    const there = openApi(other.address)
    const code = await codeFor(there)
    const again = { body: { phone: ADMIN_PHONE, code, totp } }
    const refused = await there.refused(routes.verifyAdminOtp, 401, 'authentication_error', again)
    expect(refused.details).toEqual({ totp_required: true })
  } finally {
    await other.stop()
  }
}, 60_000)
