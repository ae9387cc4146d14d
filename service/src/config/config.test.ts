import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')

const LIVE: Env = {
  MODE: 'live',
  DATABASE_URL: 'postgres://batua:secret@db:5432/batua',
  BASE_URL: 'https://pay.example.com/',
  MASTER_KEY: KEY,
  ADMIN_PHONES: '9876543210, 9876543211',
  GATEWAY: 'cashfree',
  CASHFREE_ENV: 'production',
  CASHFREE_CLIENT_ID: 'id',
  CASHFREE_CLIENT_SECRET: 'secret',
  CASHFREE_PAYOUT_CLIENT_ID: 'id',
  CASHFREE_PAYOUT_CLIENT_SECRET: 'secret',
  OTP_SENDER: 'http',
  OTP_HTTP_URL: 'https://sms.example.com/send',
  OTP_HTTP_TOKEN: 'token',
}

function problemsOf(env: Env): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

const namesOf = (env: Env): string[] => problemsOf(env).map(line => line.split(':')[0] ?? '')

test('nothing set is a sandbox on this machine', () => {
  expect(readConfig({})).toEqual({
    mode: 'sandbox',
    serviceName: 'batua',
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://127.0.0.1:8080',
    checkoutUrl: 'http://127.0.0.1:8080/checkout',
    trustProxy: [],
    databaseUrl: null,
    dataDir: './.data',
    masterKey: null,
    adminPhones: ['9999999999'],
    platformSignup: 'open',
    rateLimits: { agentPerMinute: 100, platformPerMinute: 1000, unauthenticatedPerMinute: 30 },
    redisUrl: null,
    gateway: { kind: 'sandbox' },
    otpSender: { kind: 'sandbox' },
    logLevel: 'warn',
    settlement: 'on',
    limitIncreaseCooldownS: 86_400,
  })
})

test('a live service with everything it needs is read', () => {
  expect(readConfig(LIVE)).toMatchObject({
    mode: 'live',
    baseUrl: 'https://pay.example.com',
    checkoutUrl: 'https://pay.example.com/checkout',
    masterKey: Buffer.alloc(32, 1),
    adminPhones: ['9876543210', '9876543211'],
    gateway: { kind: 'cashfree', environment: 'production' },
    otpSender: { kind: 'http', url: 'https://sms.example.com/send' },
  })
})

test('live mode lists everything that is missing, at once', () => {
  expect(namesOf({ MODE: 'live' }).toSorted()).toEqual(
    Object.keys(LIVE)
      .filter(name => name !== 'MODE')
      .toSorted(),
  )
})

test.each(Object.keys(LIVE).filter(name => name !== 'MODE'))('live mode does not start without %s', name => {
  expect(namesOf({ ...LIVE, [name]: undefined })).toContain(name)
  expect(namesOf({ ...LIVE, [name]: '  ' })).toContain(name)
})

test.each([
  ['BASE_URL', 'http://pay.example.com'],
  ['CASHFREE_ENV', 'sandbox'],
  ['GATEWAY', 'sandbox'],
  ['OTP_SENDER', 'sandbox'],
  ['CHECKOUT_URL', 'http://pay.example.com'],
])('live mode refuses %s=%s', (name, value) => {
  expect(namesOf({ ...LIVE, [name]: value })).toEqual([name])
})

test.each([
  ['MODE', 'test'],
  ['PORT', '80.5'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['BASE_URL', 'pay.example.com'],
  ['BASE_URL', 'https://pay.example.com/?a=1'],
  ['DATABASE_URL', 'mysql://db'],
  ['REDIS_URL', 'http://redis'],
  ['MASTER_KEY', 'short'],
  ['MASTER_KEY', `${KEY}AA`],
  ['ADMIN_PHONES', '12345'],
  ['SERVICE_NAME', 'Batua Pay'],
  ['RATE_LIMIT_AGENT', 'many'],
  ['LOG_LEVEL', 'verbose'],
  ['SETTLEMENT', 'yes'],
  ['PLATFORM_SIGNUP', 'closed'],
  ['LIMIT_INCREASE_COOLDOWN', '1d'],
  ['TRUST_PROXY', 'proxy.local'],
  ['TRUST_PROXY', '10.0.0.0/33'],
])('%s=%s is refused by name and its value is not shown', (name, value) => {
  const problems = problemsOf({ [name]: value })
  expect(problems).toEqual([expect.stringMatching(`^${name}: must be `)])
  expect(problems.join()).not.toContain(`"${value}"`)
})

test('problems of several variables are told together', () => {
  expect(namesOf({ PORT: 'x', MODE: 'y', REDIS_URL: 'z' }).toSorted()).toEqual(['MODE', 'PORT', 'REDIS_URL'])
})

test.each([
  ['off', []],
  ['loopback', ['loopback']],
  ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']],
])('TRUST_PROXY=%s', (value, expected) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected)
})

test('a service that listens everywhere calls itself localhost until it is told its name', () => {
  expect(readConfig({ HOST: '0.0.0.0', PORT: '9000' }).baseUrl).toBe('http://localhost:9000')
  expect(readConfig({ HOST: '::1' }).baseUrl).toBe('http://[::1]:8080')
})
