import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { DEFAULT_HOLIDAYS_FILE } from '../kernel/holiday-file.ts'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')

const LIVE: Env = {
  MODE: 'live',
  DATABASE_URL: 'postgres://batua:secret@db:5432/batua',
  BASE_URL: 'https://pay.example.com/',
  MASTER_KEY: KEY,
  ADMIN_PHONES: '9876543210, 9876543211',
  TRUST_PROXY: 'off',
  ADMIN_TOTP_SECRET: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  GATEWAY: 'cashfree',
  CASHFREE_ENV: 'production',
  CASHFREE_CLIENT_ID: 'id',
  CASHFREE_CLIENT_SECRET: 'secret',
  CASHFREE_PAYOUT_CLIENT_ID: 'payout-id',
  CASHFREE_PAYOUT_CLIENT_SECRET: 'payout-secret',
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

test('an empty environment is a sandbox on this machine', () => {
  expect(readConfig({})).toEqual({
    mode: 'sandbox',
    serviceName: 'batua',
    workers: 1,
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://localhost:8080',
    checkoutUrl: 'http://localhost:8080/checkout',
    trustProxy: [],
    databaseUrl: null,
    dataDir: './.data',
    masterKey: null,
    adminPhones: ['9999999999'],
    adminTotpSecrets: new Map(),
    platformSignup: 'open',
    rateLimits: {
      agentPerMinute: 100,
      platformPerMinute: 1000,
      unauthenticatedPerMinute: 30,
      pagesPerMinute: 600,
    },
    metricsPort: null,
    metricsToken: null,
    maxInFlight: 16,
    streamLimits: { perNetwork: 1_000, perNode: 20_000 },
    drainMs: 500,
    maxAgentsPerOwner: 10_000,
    maxAgentsPerPlatform: 1_000_000,
    redisUrl: null,
    gateway: { kind: 'sandbox' },
    otpSender: { kind: 'sandbox' },
    notifications: { sender: { kind: 'sandbox' }, phones: null },
    textMessages: {
      sender: { kind: 'sandbox' },
      texts: {
        bankAccount:
          'Batua: from {effective_at} payouts go to your bank account ending {last4}. Was that not you? Ask the platform of your agents to cancel it.',
        passkey:
          'Batua: from {effective_at} a passkey is {change} for your login. Was that not you? Log in at {url} and undo it under Safety.',
        app: 'Batua: from {effective_at} a connected app may spend up to INR {daily} a day from your agent {agent}. Was that not you? Log in at {url} and disconnect it under Safety.',
      },
    },
    logLevel: 'warn',
    tracing: null,
    settlement: 'on',
    bankHolidaysFile: null,
    limitIncreaseCooldownS: 86_400,
  })
})

test('text messages go to the provider of one-time codes, with a body and a template of their own', () => {
  const { textMessages } = readConfig({
    ...LIVE,
    OTP_HTTP_BODY: '{"to":"{phone}","text":"{code}"}',
    SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}","templateId":"{template_id}"}',
    SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID: '1107161234567890999',
    SMS_DLT_PASSKEY_TEMPLATE_ID: '1107161234567890998',
    SMS_DLT_APP_TEMPLATE_ID: '1107161234567890997',
    SMS_PASSKEY_TEXT: 'A passkey is {change} at {url}',
    SMS_APP_TEXT: 'An app spends from {agent}',
    SMS_BANK_ACCOUNT_TEXT: 'Account {last4} from {effective_at}',
  })
  expect(textMessages).toMatchObject({
    texts: {
      bankAccount: 'Account {last4} from {effective_at}',
      passkey: 'A passkey is {change} at {url}',
      app: 'An app spends from {agent}',
    },
    sender: {
      kind: 'http',
      url: 'https://sms.example.com/send',
      token: 'token',
      templateIds: {
        bank_account: '1107161234567890999',
        passkey: '1107161234567890998',
        app: '1107161234567890997',
      },
      body: { format: 'json', template: { to: '{phone}', text: '{text}', templateId: '{template_id}' } },
    },
  })
})

/** A body with the id of each registered text, and all those ids but one. */
function withAllBut(missing: string) {
  const names = ['SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID', 'SMS_DLT_PASSKEY_TEMPLATE_ID', 'SMS_DLT_APP_TEMPLATE_ID']
  const ids = names.filter(name => name !== missing).map(name => [name, '1107161234567890998'])
  return {
    SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}","id":"{template_id}"}',
    ...Object.fromEntries(ids),
  }
}

test.each([
  ['SMS_HTTP_BODY', { OTP_HTTP_BODY: '{"to":"{phone}","text":"{code}"}' }],
  ['SMS_HTTP_BODY', { SMS_HTTP_BODY: '{"to":"{phone}","text":"{code}{text}"}' }],
  ['SMS_HTTP_BODY', { SMS_HTTP_BODY: '{"text":"{text}"}' }],
  ['SMS_HTTP_BODY', { SMS_HTTP_BODY: '{"to":"{phone}"}' }],
  ['SMS_HTTP_BODY', { SMS_HTTP_BODY: 'to={phone}&text={text}' }],
  ['SMS_HTTP_URL', { SMS_HTTP_URL: 'http://sms.example.com' }],
  ['SMS_HTTP_URL', { OTP_HTTP_URL: 'https://sms.example.com/{code}' }],
  ['SMS_BANK_ACCOUNT_TEXT', { SMS_BANK_ACCOUNT_TEXT: 'Your account has changed' }],
  ['SMS_BANK_ACCOUNT_TEXT', { SMS_BANK_ACCOUNT_TEXT: '{last4} of {phone}' }],
  ['SMS_PASSKEY_TEXT', { SMS_PASSKEY_TEXT: 'Your passkeys have changed' }],
  ['SMS_PASSKEY_TEXT', { SMS_PASSKEY_TEXT: '{change} {last4}' }],
  ['SMS_APP_TEXT', { SMS_APP_TEXT: 'An app was connected' }],
  ['SMS_APP_TEXT', { SMS_APP_TEXT: '{agent} {last4}' }],
  ['SMS_HTTP_BODY', { SMS_HTTP_BODY: '{"to":"{phone}","a":"{last4}","b":"{change}"}' }],
  ['SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID', { SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID: 'one' }],
  ['SMS_DLT_PASSKEY_TEMPLATE_ID', { SMS_DLT_PASSKEY_TEMPLATE_ID: 'one' }],
  ['SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID', withAllBut('SMS_DLT_BANK_ACCOUNT_TEMPLATE_ID')],
  ['SMS_DLT_PASSKEY_TEMPLATE_ID', withAllBut('SMS_DLT_PASSKEY_TEMPLATE_ID')],
  ['SMS_DLT_APP_TEMPLATE_ID', withAllBut('SMS_DLT_APP_TEMPLATE_ID')],
])('%s is named when text messages cannot be sent with it: %j', (name, change) => {
  expect(namesOf({ ...LIVE, ...change })).toEqual([name])
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

const OTHER_SECRET = 'MFRGGZDFMZTWQ2LKMFRGGZDFMZTWQ2LK'

test('administrators have a TOTP secret each, or one for all', () => {
  const secrets = (text: string) => readConfig({ ...LIVE, ADMIN_TOTP_SECRET: text }).adminTotpSecrets
  const one = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  expect(secrets('gezd gnbv gy3t qojq gezd gnbv gy3t qojq')).toEqual(
    new Map([
      ['9876543210', one],
      ['9876543211', one],
    ]),
  )
  expect(secrets(`9876543210:${one}, 9876543211:${OTHER_SECRET}`)).toEqual(
    new Map([
      ['9876543210', one],
      ['9876543211', OTHER_SECRET],
    ]),
  )
})

test.each([
  ['one that is missing', {}],
  ['an administrator without one', { ADMIN_TOTP_SECRET: `9876543210:${OTHER_SECRET}` }],
  ['a short one', { ADMIN_TOTP_SECRET: 'JBSWY3DPEHPK3PXP' }],
  ['no base32', { ADMIN_TOTP_SECRET: `${OTHER_SECRET}1` }],
  ['a phone that is none', { ADMIN_TOTP_SECRET: `12345:${OTHER_SECRET}` }],
  ['two for all', { ADMIN_TOTP_SECRET: `${OTHER_SECRET},${OTHER_SECRET}` }],
])('live mode names a TOTP secret that will not do: %s', (_what, change: Env) => {
  const { ADMIN_TOTP_SECRET: _own, ...rest } = LIVE
  expect(namesOf({ ...rest, ...change })).toEqual(['ADMIN_TOTP_SECRET'])
  expect(problemsOf({ ...rest, ...change }).join()).not.toContain(OTHER_SECRET)
})

test('a sandbox may give a secret to some of its administrators, and a short one', () => {
  const env = { ADMIN_PHONES: '9876543210,9876543211', ADMIN_TOTP_SECRET: '9876543211:JBSWY3DPEHPK3PXP' }
  expect(readConfig(env).adminTotpSecrets).toEqual(new Map([['9876543211', 'JBSWY3DPEHPK3PXP']]))
})

const HTTP_OTP: Env = {
  OTP_SENDER: 'http',
  OTP_HTTP_URL: 'https://localhost/send',
  OTP_HTTP_TOKEN: 'token',
}

test('a provider of text messages is described completely, DLT ids included', () => {
  const body =
    '{"to":"{phone91}","text":"{code} is your code","dlt":["{entity_id}","{template_id}"],"flash":0}'
  const { otpSender } = readConfig({
    ...HTTP_OTP,
    OTP_HTTP_METHOD: 'PUT',
    OTP_HTTP_BODY: body,
    OTP_HTTP_AUTH_HEADER: 'authkey',
    OTP_HTTP_SUCCESS: '"ok":true',
    OTP_DLT_ENTITY_ID: '1101234567890123456',
    OTP_DLT_TEMPLATE_ID: '1107161234567890123',
    OTP_DLT_SENDER_ID: 'BATUAX',
  })
  expect(otpSender).toEqual({
    kind: 'http',
    method: 'PUT',
    url: 'https://localhost/send',
    token: 'token',
    authHeader: 'authkey',
    body: { format: 'json', template: JSON.parse(body) },
    successText: '"ok":true',
    entityId: '1101234567890123456',
    templateId: '1107161234567890123',
    senderId: 'BATUAX',
  })
})

test('a form and an address may hold the placeholders as well', () => {
  const form = { ...HTTP_OTP, OTP_HTTP_FORMAT: 'form', OTP_HTTP_BODY: 'to={phone}&text=Code+{code}%26more' }
  expect(readConfig(form).otpSender).toMatchObject({
    body: {
      format: 'form',
      fields: [
        ['to', '{phone}'],
        ['text', 'Code {code}&more'],
      ],
    },
  })
  const url = 'https://localhost/{token}/SMS/{phone}/{code}'
  const address = { ...HTTP_OTP, OTP_HTTP_METHOD: 'GET', OTP_HTTP_URL: url, OTP_HTTP_AUTH_HEADER: 'none' }
  expect(readConfig(address).otpSender).toMatchObject({ method: 'GET', url, body: { format: 'none' } })
})

test.each([
  ['OTP_HTTP_URL', { OTP_HTTP_URL: 'https://user:pass@localhost' }],
  ['OTP_HTTP_URL', { OTP_HTTP_URL: 'https://localhost/{mobile}' }],
  ['OTP_HTTP_METHOD', { OTP_HTTP_METHOD: 'DELETE' }],
  ['OTP_HTTP_FORMAT', { OTP_HTTP_FORMAT: 'xml' }],
  [
    'OTP_HTTP_FORMAT',
    { OTP_HTTP_METHOD: 'GET', OTP_HTTP_FORMAT: 'json', OTP_HTTP_URL: 'https://localhost/{phone}/{code}' },
  ],
  ['OTP_HTTP_BODY', { OTP_HTTP_BODY: '{"code":"{code}","phone":"{phone}"' }],
  ['OTP_HTTP_BODY', { OTP_HTTP_BODY: '["{code}","{phone}"]' }],
  ['OTP_HTTP_BODY', { OTP_HTTP_BODY: '{"phone":"{phone}"}' }],
  ['OTP_HTTP_BODY', { OTP_HTTP_BODY: '{"code":"{code}"}' }],
  ['OTP_HTTP_BODY', { OTP_HTTP_BODY: '{"code":"{code}","phone":"{phone}","name":"{name}"}' }],
  [
    'OTP_HTTP_BODY',
    { OTP_HTTP_METHOD: 'GET', OTP_HTTP_URL: 'https://localhost/{phone}/{code}', OTP_HTTP_BODY: 'a=b' },
  ],
  ['OTP_HTTP_AUTH_HEADER', { OTP_HTTP_AUTH_HEADER: 'auth key' }],
  ['OTP_HTTP_AUTH_HEADER', { OTP_HTTP_AUTH_HEADER: 'none' }],
  ['OTP_DLT_ENTITY_ID', { OTP_DLT_ENTITY_ID: 'batua' }],
  ['OTP_DLT_ENTITY_ID', { OTP_HTTP_BODY: '{"c":"{code}","p":"{phone}","e":"{entity_id}"}' }],
  ['OTP_DLT_TEMPLATE_ID', { OTP_HTTP_BODY: '{"c":"{code}","p":"{phone}","e":"{template_id}"}' }],
  ['OTP_DLT_SENDER_ID', { OTP_DLT_SENDER_ID: 'BA-TUA' }],
])('a wrong description of the provider is refused by name: %s, %j', (name, change) => {
  expect(namesOf({ ...HTTP_OTP, ...change })).toEqual([name])
})

test('codes go out in the clear only where nothing is real', () => {
  const clear = { OTP_HTTP_URL: 'http://127.0.0.1:9000/sms' }
  expect(namesOf({ OTP_SENDER: 'http', OTP_HTTP_TOKEN: 'token', ...clear })).toEqual([])
  expect(namesOf({ ...LIVE, ...clear })).toEqual(['OTP_HTTP_URL'])
})

test('Cashfree is asked as its documents have it, and verification with the credentials of payouts', () => {
  expect(readConfig(LIVE).gateway).toEqual({
    kind: 'cashfree',
    environment: 'production',
    apiUrl: null,
    apiVersion: '2025-01-01',
    payoutApiVersion: '2024-01-01',
    clientId: 'id',
    clientSecret: 'secret',
    payoutClientId: 'payout-id',
    payoutClientSecret: 'payout-secret',
    verificationClientId: 'payout-id',
    verificationClientSecret: 'payout-secret',
    previousClientSecrets: [],
    previousPayoutClientSecrets: [],
    upiCollect: false,
  })
})

test('every Cashfree default can be changed', () => {
  const config = readConfig({
    ...LIVE,
    CASHFREE_API_URL: 'https://proxy.example.com/cashfree/',
    CASHFREE_API_VERSION: '2026-01-01',
    CASHFREE_PAYOUT_API_VERSION: '2026-02-02',
    CASHFREE_VERIFICATION_CLIENT_ID: 'kyc-id',
    CASHFREE_VERIFICATION_CLIENT_SECRET: 'kyc-secret',
    CASHFREE_PREVIOUS_SECRETS: 'older, oldest',
    CASHFREE_PAYOUT_PREVIOUS_SECRETS: 'before',
    CASHFREE_UPI_COLLECT: 'on',
  })
  expect(config.gateway).toMatchObject({
    apiUrl: 'https://proxy.example.com/cashfree',
    apiVersion: '2026-01-01',
    payoutApiVersion: '2026-02-02',
    verificationClientId: 'kyc-id',
    verificationClientSecret: 'kyc-secret',
    previousClientSecrets: ['older', 'oldest'],
    previousPayoutClientSecrets: ['before'],
    upiCollect: true,
  })
})

test('a sandbox may stand before a server of its own in place of Cashfree', () => {
  const env = {
    ...LIVE,
    MODE: 'sandbox',
    OTP_SENDER: 'sandbox',
    CASHFREE_ENV: 'sandbox',
    CASHFREE_API_URL: 'http://127.0.0.1:9000',
  }
  expect(readConfig(env).gateway).toMatchObject({ environment: 'sandbox', apiUrl: 'http://127.0.0.1:9000' })
})

test.each([
  ['CASHFREE_API_URL', { CASHFREE_API_URL: 'http://127.0.0.1:9000' }],
  ['CASHFREE_API_VERSION', { CASHFREE_API_VERSION: 'latest' }],
  ['CASHFREE_PAYOUT_API_VERSION', { CASHFREE_PAYOUT_API_VERSION: '2' }],
  ['CASHFREE_VERIFICATION_CLIENT_SECRET', { CASHFREE_VERIFICATION_CLIENT_ID: 'kyc-id' }],
  ['CASHFREE_VERIFICATION_CLIENT_ID', { CASHFREE_VERIFICATION_CLIENT_SECRET: 'kyc-secret' }],
  ['CASHFREE_PREVIOUS_SECRETS', { CASHFREE_PREVIOUS_SECRETS: 'one,,two' }],
  ['CASHFREE_UPI_COLLECT', { CASHFREE_UPI_COLLECT: 'yes' }],
])('a wrong word about Cashfree is refused by name: %s, %j', (name, change) => {
  expect(namesOf({ ...LIVE, ...change })).toEqual([name])
})

test('bank holidays may be listed in a file of the operator', () => {
  const file = DEFAULT_HOLIDAYS_FILE
  expect(readConfig({ BANK_HOLIDAYS: file }).bankHolidaysFile).toBe(file)
})

test('a file of bank holidays that cannot be used is listed with every other problem, and with its reason', () => {
  const problems = problemsOf({ PORT: '99999', BANK_HOLIDAYS: '/nowhere/holidays.json' })
  expect(problems.map(line => line.split(':')[0])).toEqual(['PORT', 'BANK_HOLIDAYS'])
  expect(problems[1]).toContain('/nowhere/holidays.json cannot be read: ENOENT')
  expect(problemsOf({ BANK_HOLIDAYS: import.meta.filename })[0]).toContain('is not valid JSON')
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
  ['MAX_IN_FLIGHT', '-1'],
  ['MAX_STREAMS', 'many'],
  ['MAX_STREAMS_PER_NETWORK', '-1'],
  ['DRAIN_MS', '60001'],
  ['MAX_AGENTS_PER_OWNER', '0'],
  ['MAX_AGENTS_PER_PLATFORM', '0'],
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

test('problems of several variables are reported together', () => {
  expect(namesOf({ PORT: 'x', MODE: 'y', REDIS_URL: 'z' }).toSorted()).toEqual(['MODE', 'PORT', 'REDIS_URL'])
})

test.each([
  ['off', []],
  ['loopback', ['loopback']],
  ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1']],
])('TRUST_PROXY=%s is read as the proxies that it names', (value, expected) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(expected)
})

test('a service of this machine, or on all addresses, is called localhost without BASE_URL', () => {
  for (const HOST of ['0.0.0.0', '::', '127.0.0.1', '::1']) {
    expect(readConfig({ HOST, PORT: '9000' }).baseUrl).toBe('http://localhost:9000')
  }
  expect(readConfig({ HOST: 'fd00::1' }).baseUrl).toBe('http://[fd00::1]:8080')
})

test('metrics may have a separate port, and live mode requires a long token', () => {
  expect(readConfig({ METRICS_PORT: '9464', METRICS_TOKEN: 'secret' })).toMatchObject({
    metricsPort: 9464,
    metricsToken: 'secret',
  })
  expect(namesOf({ METRICS_PORT: '8080' })).toEqual(['METRICS_PORT'])
  expect(namesOf({ PORT: '9000', METRICS_PORT: '9000' })).toEqual(['METRICS_PORT'])
  expect(namesOf({ METRICS_PORT: '0' })).toEqual(['METRICS_PORT'])
  expect(namesOf({ METRICS_TOKEN: 'two words' })).toEqual(['METRICS_TOKEN'])
  expect(namesOf({ ...LIVE, METRICS_TOKEN: 'secret' })).toEqual(['METRICS_TOKEN'])
  expect(namesOf({ ...LIVE, METRICS_TOKEN: 'a'.repeat(32) })).toEqual([])
})

describe('a file of the configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batua-config-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  function file(name: string, text: string): string {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  test('has variables, one a line, and the environment goes before it', () => {
    const path = file('service.env', `# A node\nPORT=9000\nLOG_LEVEL="info"\nSERVICE_NAME=payments\n`)
    expect(readConfig({ CONFIG_FILE: path, PORT: '9001' })).toMatchObject({
      port: 9_001,
      logLevel: 'info',
      serviceName: 'payments',
    })
  })

  test('may hold the value of one variable, as secrets are mounted', () => {
    const key = file('key', `${KEY}\n`)
    const expected = readConfig({ MASTER_KEY: KEY })
    expect(readConfig({ MASTER_KEY_FILE: key })).toEqual(expected)
    const lines = file('with-key.env', `MASTER_KEY_FILE=${key}\n`)
    expect(readConfig({ CONFIG_FILE: lines })).toEqual(expected)
    expect(problemsOf({ ...LIVE, MASTER_KEY: undefined, MASTER_KEY_FILE: key })).toEqual([])
  })

  test('that cannot be read is a problem, and is named without what others have', () => {
    const missing = join(folder, 'missing')
    expect(problemsOf({ CONFIG_FILE: missing, MASTER_KEY_FILE: missing })).toEqual([
      'CONFIG_FILE: names a file that cannot be read (ENOENT)',
      'MASTER_KEY_FILE: names a file that cannot be read (ENOENT)',
    ])
  })

  test('with a variable that does not exist is refused, and so is a value that is given twice', () => {
    const odd = file('odd.env', 'MASTER_KEYY=abc\nCASHFREE_ENV=sandbox\nOTP_HTTP_TOKEN_FILE=token\n')
    expect(problemsOf({ CONFIG_FILE: odd })).toEqual([
      'CONFIG_FILE: has MASTER_KEYY, which is no variable of the service',
    ])
    const key = file('other-key', KEY)
    expect(problemsOf({ MASTER_KEY: KEY, MASTER_KEY_FILE: key })).toEqual([
      'MASTER_KEY: is given, and so is MASTER_KEY_FILE; one of them is enough',
    ])
  })

  test('with a wrong value never shows it', () => {
    const wrong = file('wrong', 'a-secret-that-is-no-key')
    expect(problemsOf({ MASTER_KEY_FILE: wrong }).join()).not.toContain('a-secret')
  })
})

test('WORKERS is a number of processes, or one for each processor', () => {
  expect(readConfig({ WORKERS: '3' }).workers).toBe(3)
  expect(readConfig({ WORKERS: 'auto' }).workers).toBe(availableParallelism())
  for (const wrong of ['0', '-1', '1.5', '257', 'all'])
    expect(() => readConfig({ WORKERS: wrong })).toThrow(
      'WORKERS: must be auto, or a whole number from 1 to 256',
    )
})
