import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

const CASHFREE: Env = {
  GATEWAY: 'cashfree',
  CASHFREE_CLIENT_ID: 'id',
  CASHFREE_CLIENT_SECRET: 'secret',
  CASHFREE_PAYOUT_CLIENT_ID: 'id',
  CASHFREE_PAYOUT_CLIENT_SECRET: 'secret',
}

const LIVE: Env = {
  ...CASHFREE,
  MODE: 'live',
  CASHFREE_ENV: 'production',
  DATABASE_URL: 'postgres://db/batua',
  BASE_URL: 'https://pay.example.com',
  TRUST_PROXY: '10.0.0.0/8',
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  ADMIN_PHONES: '9876543210',
  ADMIN_TOTP_SECRET: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  OTP_SENDER: 'http',
  OTP_HTTP_URL: 'https://sms.example.com',
  OTP_HTTP_TOKEN: 'token',
}

const SANDBOX_WITH_CASHFREE: Env = { ...CASHFREE, CASHFREE_ENV: 'sandbox' }
const SANDBOX_WITH_MESSAGES: Env = {
  OTP_SENDER: 'http',
  OTP_HTTP_TOKEN: 'token',
  OTP_HTTP_URL: 'http://127.0.0.1:9000/sms',
}

function refusedFor(env: Env): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(line => line.split(':')[0] ?? '')
    throw error
  }
}

/** A sandbox simulates, live mode is real. Each row is one mixture, and the variable that the refusal names. */
const MIXTURES: readonly (readonly [base: Env, change: Env, refused: string | null])[] = [
  // A sandbox: nothing of it moves money or reaches a person.
  [{}, {}, null],
  [{ MODE: 'sandbox' }, {}, null],
  [{}, SANDBOX_WITH_CASHFREE, null],
  [{}, { ...SANDBOX_WITH_CASHFREE, CASHFREE_ENV: 'production' }, 'CASHFREE_ENV'],
  [{}, { ...SANDBOX_WITH_CASHFREE, CASHFREE_ENV: '' }, 'CASHFREE_ENV'],
  [{}, { ...SANDBOX_WITH_CASHFREE, CASHFREE_API_URL: 'http://127.0.0.1:9000' }, null],
  [{}, { ...SANDBOX_WITH_CASHFREE, CASHFREE_API_URL: 'https://api.cashfree.com' }, 'CASHFREE_API_URL'],
  [{}, { ...SANDBOX_WITH_CASHFREE, CASHFREE_API_URL: 'https://API.cashfree.com./' }, 'CASHFREE_API_URL'],
  [{}, SANDBOX_WITH_MESSAGES, null],
  [{}, { ...SANDBOX_WITH_MESSAGES, OTP_HTTP_URL: 'https://sms.example.com' }, 'OTP_HTTP_URL'],
  [{}, { ...SANDBOX_WITH_MESSAGES, OTP_HTTP_URL: 'http://10.0.0.7/sms' }, 'OTP_HTTP_URL'],
  [{}, { ...SANDBOX_WITH_MESSAGES, SMS_HTTP_URL: 'https://sms.example.com' }, 'SMS_HTTP_URL'],
  [{}, { HOST: '0.0.0.0' }, null],
  [{}, { BASE_URL: 'https://sandbox.example.com', TRUST_PROXY: 'loopback' }, null],
  // Live: no part of it is simulated, and nothing is left to a default of the sandbox.
  [LIVE, {}, null],
  [LIVE, { MODE: 'sandbox' }, 'CASHFREE_ENV'],
  [LIVE, { MODE: '' }, 'CASHFREE_ENV'],
  [LIVE, { MODE: 'production' }, 'MODE'],
  [LIVE, { GATEWAY: 'sandbox' }, 'GATEWAY'],
  [LIVE, { GATEWAY: '' }, 'GATEWAY'],
  [LIVE, { CASHFREE_ENV: 'sandbox' }, 'CASHFREE_ENV'],
  [LIVE, { CASHFREE_API_URL: 'https://sandbox.cashfree.com' }, 'CASHFREE_API_URL'],
  [LIVE, { CASHFREE_API_URL: 'https://proxy.example.com' }, null],
  [LIVE, { OTP_SENDER: 'sandbox' }, 'OTP_SENDER'],
  [LIVE, { OTP_SENDER: '' }, 'OTP_SENDER'],
  [LIVE, { TRUST_PROXY: '' }, 'TRUST_PROXY'],
  [LIVE, { TRUST_PROXY: 'off' }, null],
  [LIVE, { BASE_URL: 'http://pay.example.com' }, 'BASE_URL'],
  [LIVE, { BASE_URL: 'https://localhost' }, 'BASE_URL'],
  [LIVE, { BASE_URL: 'https://127.0.0.1:8443' }, 'BASE_URL'],
  [LIVE, { BASE_URL: 'https://[::1]' }, 'BASE_URL'],
  [LIVE, { CHECKOUT_URL: 'https://localhost/checkout' }, 'CHECKOUT_URL'],
  [LIVE, { HOST: '0.0.0.0' }, null],
  [LIVE, { DATABASE_URL: '' }, 'DATABASE_URL'],
  [LIVE, { MASTER_KEY: '' }, 'MASTER_KEY'],
  [LIVE, { ADMIN_PHONES: '' }, 'ADMIN_PHONES'],
  [LIVE, { ADMIN_PHONES: '9876543210,9999999999' }, 'ADMIN_PHONES'],
]

test.each(MIXTURES)(
  'a mixture of sandbox and live does not start: %j with %j names %s',
  (base, change, refused) => {
    const names = refusedFor({ ...base, ...change })
    if (refused === null) expect(names).toEqual([])
    else expect(names).toContain(refused)
  },
)
