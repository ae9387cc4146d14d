import { type RiskRuleName, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let admin: Headers
let platform: Platform
let owner: Owner

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
  admin = await network.admin()
  platform = await network.platform()
  owner = await network.owner(platform)
})
afterAll(() => stage.close())

/** Waits until the rules have evaluated the payments. */
async function checkPayments(): Promise<void> {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 10 } })
}

async function alertOf(agent: Agent, rule: RiskRuleName) {
  const query = { agent_id: agent.id, rule }
  const { alerts } = await api.ok(routes.listRiskAlerts, { headers: admin, query })
  return alerts[0]
}

async function alertFor(agent: Agent, rule: RiskRuleName) {
  const alert = await alertOf(agent, rule)
  if (alert === undefined) throw new Error(`no alert of ${rule}`)
  return alert
}

async function payOften(times: number): Promise<Agent> {
  const payer = await network.fundedAgent(owner)
  const payee = await network.agent(owner)
  for (let paid = 0; paid < times; paid++) await network.pay(payer, payee, 1)
  await checkPayments()
  return payer
}

const openAlerts = async () => (await api.ok(routes.getOverview, { headers: admin })).open_alerts

const review = (alertId: string, body: { decision: 'dismiss' | 'confirm'; action?: 'quarantine' }) => ({
  params: { alert_id: alertId },
  headers: admin,
  body,
})

const scoreOf = (agent: Agent) =>
  api.ok(routes.getRiskScore, { params: { agent_id: agent.id }, headers: admin })

describe('twenty quick payments', () => {
  test('raise an alert that names them, add to the risk score, and count in the overview', async () => {
    // Alerts of other agents, whose payments were not checked yet, come first.
    await checkPayments()
    const before = await openAlerts()
    const payer = await payOften(20)
    const alert = await alertFor(payer, 'velocity_spike')
    expect(alert).toMatchObject({ agent_id: payer.id, platform_id: platform.id, status: 'open', score: 30 })
    expect(alert.evidence.figures['payments']).toBe(20)
    const { payments } = await api.ok(routes.listPayments, {
      params: { agent_id: payer.id },
      headers: payer.headers,
    })
    expect(payments.map(payment => payment.payment_id).slice(0, 10)).toEqual(alert.evidence.payment_ids)
    expect(await scoreOf(payer)).toMatchObject({
      score: 30,
      factors: [{ rule: 'velocity_spike', points: 30 }],
    })
    expect(await openAlerts()).toBe(before + 1)
  })

  test('confirmed with a quarantine, stop the agent at once, and once for this alert', async () => {
    const payer = await payOften(20)
    const payee = await network.agent(owner)
    const { alert_id } = await alertFor(payer, 'velocity_spike')
    const call = review(alert_id, { decision: 'confirm', action: 'quarantine' })
    expect(await api.ok(routes.reviewRiskAlert, call)).toMatchObject({ alert_id, status: 'confirmed' })
    const error = await network.refusedPayment(payer, payee, [403, 'policy_denied'])
    expect(error.message).toBe('Agent is quarantined')
    await api.refused(routes.reviewRiskAlert, 409, 'conflict', call)
    expect((await scoreOf(payer)).score).toBe(30)
  })

  test('of a frozen agent cannot be confirmed with a quarantine, and the alert stays open', async () => {
    const payer = await payOften(20)
    const { alert_id } = await alertFor(payer, 'velocity_spike')
    await api.ok(routes.bulkFreezeAgents, { headers: admin, body: { agent_ids: [payer.id] } })
    const call = review(alert_id, { decision: 'confirm', action: 'quarantine' })
    await api.refused(routes.reviewRiskAlert, 409, 'conflict', call)
    expect((await alertFor(payer, 'velocity_spike')).status).toBe('open')
    expect((await scoreOf(payer)).factors[0]?.detail).toContain('Open: 20 payments')
  })

  test('dismissed raise no further alert, and nineteen raise none', async () => {
    const payer = await payOften(20)
    const { alert_id } = await alertFor(payer, 'velocity_spike')
    await api.ok(routes.reviewRiskAlert, review(alert_id, { decision: 'dismiss' }))
    await network.pay(payer, await network.agent(owner), 1)
    await checkPayments()
    expect(await alertFor(payer, 'velocity_spike')).toMatchObject({ alert_id, status: 'dismissed' })
    expect((await scoreOf(payer)).score).toBe(0)
    expect(await alertOf(await payOften(19), 'velocity_spike')).toBeUndefined()
  })
})

test('an update of the table changes a rule without a restart', async () => {
  await stage.database.query(
    `update risk_rules set thresholds = thresholds || '{"min_payments": 5}' where rule = 'velocity_spike'`,
  )
  const payer = await payOften(5)
  expect((await alertFor(payer, 'velocity_spike')).evidence.thresholds['min_payments']).toBe(5)
  await stage.database.query(`update risk_rules set enabled = false where rule = 'velocity_spike'`)
  const { rules } = await api.ok(routes.listRiskRules, { headers: admin })
  expect(rules.find(rule => rule.rule === 'velocity_spike')).toMatchObject({
    enabled: false,
    thresholds: { min_payments: 5 },
  })
  expect(await alertOf(await payOften(20), 'velocity_spike')).toBeUndefined()
})

test('wrong secrets raise an alert about their platform, which cannot be confirmed with a quarantine', async () => {
  const target = await network.platform()
  const headers = { 'x-platform-id': target.id, 'x-platform-secret': `sk_live_${'w'.repeat(43)}` }
  for (let tries = 0; tries < 20; tries++) {
    await api.refused(routes.listOwners, 401, 'authentication_error', { headers })
  }
  await checkPayments()
  const query = { rule: 'failed_authentication' }
  const { alerts } = await api.ok(routes.listRiskAlerts, { headers: admin, query })
  const alert = alerts.find(each => each.platform_id === target.id)
  expect(alert).toMatchObject({ agent_id: null, severity: 'high', status: 'open' })
  const call = review(alert?.alert_id ?? '', { decision: 'confirm', action: 'quarantine' })
  expect((await api.refused(routes.reviewRiskAlert, 400, 'validation_error', call)).field).toBe('action')
})
