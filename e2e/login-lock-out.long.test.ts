import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { ADMIN_PHONE } from './src/log-in.ts'
import { openStage, type Stage } from './src/stage.ts'

let stage: Stage
let api: Api

beforeAll(async () => {
  stage = await openStage({ TRUST_PROXY: 'loopback' })
  ;({ api } = stage)
})
afterAll(() => stage.close())

/** An attack is a thousand requests. */
const SLOW_MS = 90_000

const from = (address: string): Headers => ({ 'x-forwarded-for': address })
const LOGIN = {
  owner: { send: routes.sendOtp, verify: routes.verifyOtp },
  admin: { send: routes.sendAdminOtp, verify: routes.verifyAdminOtp },
} as const

/** An attack from ten addresses in five minutes: ten codes each, with five wrong tries for every code. */
async function besiege(phone: string, kind: 'owner' | 'admin'): Promise<void> {
  const { send, verify } = LOGIN[kind]
  const addresses = Array.from({ length: 10 }, (_, address) => from(`203.0.113.${address}`))
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      addresses.map(async headers => {
        await api.send(send, { body: { phone }, headers })
        const guesses = ['000000', '000001', '000002', '000003', '000004']
        await Promise.all(guesses.map(code => api.send(verify, { body: { phone, code }, headers })))
      }),
    )
    await api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
  }
}

async function codeOf(phone: string): Promise<string> {
  return (await api.ok(routes.getSandboxOtp, { params: { phone } })).code
}

test.each(['owner', 'admin'] as const)(
  'wrong codes from ten addresses do not lock out an %s, from a known or a new address',
  async kind => {
    const { send, verify } = LOGIN[kind]
    const phone =
      kind === 'admin' ? ADMIN_PHONE : (await stage.network.owner(await stage.network.platform())).phone
    const known = from('198.51.100.1')
    await api.ok(send, { body: { phone }, headers: known })
    await api.ok(verify, { body: { phone, code: await codeOf(phone) }, headers: known })
    await besiege(phone, kind)

    await api.ok(send, { body: { phone }, headers: known })
    await api.ok(verify, { body: { phone, code: await codeOf(phone) }, headers: known })

    const elsewhere = from('192.0.2.77')
    await api.ok(send, { body: { phone }, headers: elsewhere })
    const first = await api.refused(verify, 401, 'authentication_error', {
      body: { phone, code: await codeOf(phone) },
      headers: elsewhere,
    })
    expect(first.details).toEqual({ second_code_required: true })
    await api.ok(send, { body: { phone }, headers: elsewhere })
    await api.ok(verify, { body: { phone, code: await codeOf(phone) }, headers: elsewhere })
  },
  SLOW_MS,
)

test('guessed codes raise an alert for administrators that names no agent and no platform', async () => {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 3_700 } })
  const headers = await stage.network.admin()
  await besiege('9812345678', 'owner')
  await api.ok(routes.advanceClock, { body: { advance_seconds: 1 } })
  const query = { rule: 'login_guessing', status: 'open' }
  const { alerts } = await api.ok(routes.listRiskAlerts, { headers, query })
  expect(alerts).toMatchObject([{ agent_id: null, platform_id: null, severity: 'high' }])
  const { rules } = await api.ok(routes.listRiskRules, { headers })
  expect(rules.find(({ rule }) => rule === 'login_guessing')).toMatchObject({
    thresholds: { min_failures: 100, window_minutes: 10 },
  })
  const params = { alert_id: alerts[0]?.alert_id ?? '' }
  const body = { decision: 'dismiss' } as const
  expect(await api.ok(routes.reviewRiskAlert, { params, headers, body })).toMatchObject({
    status: 'dismissed',
  })
})
