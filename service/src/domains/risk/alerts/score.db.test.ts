import type { ResponseOf, routes } from '@batua/contract'
import { afterAll, expect, describe as group } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { type RiskServer, startRiskServer } from '../testing/risk-server.ts'
import { test, world } from '../testing/risk-world.ts'

let server: RiskServer

test.beforeAll(async () => {
  server = await startRiskServer(world, () => Promise.resolve())
})
afterAll(async () => {
  await server.close()
})

const review = (alertId: string, decision: string) =>
  server.ask('POST', `alerts/${alertId}/review`, 200, { decision })

group('a score', () => {
  type Score = ResponseOf<typeof routes.getRiskScore> & { error: { code: string } }
  const score = (agentId: Uuid) => server.ask<Score>('GET', `agents/${formatId('agt', agentId)}/score`, 200)

  test('the score counts open and confirmed alerts, and not dismissed ones', async () => {
    const { agentId, alertId } = await server.alerted()
    expect(await score(agentId)).toEqual({
      agent_id: formatId('agt', agentId),
      score: 20,
      factors: [
        {
          rule: 'repeated_refusals',
          points: 20,
          detail: 'Open: 10 payments refused by policy within 10 minutes.',
        },
      ],
      computed_at: world.clock.now().toISOString(),
    })
    await review(alertId, 'confirm')
    const { score: points, factors } = await score(agentId)
    expect([points, factors[0]?.detail]).toEqual([
      20,
      'Confirmed: 10 payments refused by policy within 10 minutes.',
    ])
    const other = await server.alerted()
    await review(other.alertId, 'dismiss')
    expect(await score(other.agentId)).toMatchObject({ score: 0, factors: [] })
  })

  test('the score counts an alert for thirty days, to the millisecond', async () => {
    const { agentId } = await server.alerted()
    const [alert] = await world.alerts(agentId, 'repeated_refusals')
    const openedMs = alert?.createdAt.getTime() ?? 0
    world.clock.set(new Date(openedMs + 30 * DAY_MS - 1))
    expect((await score(agentId)).score).toBe(20)
    world.clock.set(new Date(openedMs + 30 * DAY_MS))
    expect((await score(agentId)).score).toBe(0)
  })

  test('the score of an unknown agent is not found', async () => {
    for (const id of [formatId('agt', newUuid(new Date())), 'agt_none']) {
      expect((await server.ask<Score>('GET', `agents/${id}/score`, 404)).error.code).toBe('not_found')
    }
  })
})

test('the rules are shown as they are in force, an invalid row with its problem', async () => {
  type List = ResponseOf<typeof routes.listRiskRules>
  const { rules } = await server.ask<List>('GET', 'rules', 200)
  expect(rules.map(rule => rule.rule).toSorted()).toEqual([
    'circular_flow',
    'failed_authentication',
    'login_guessing',
    'new_payees',
    'pass_through',
    'repeated_refusals',
    'structuring',
    'velocity_spike',
  ])
  expect(rules.every(rule => rule.enabled && rule.problem === null && rule.description !== '')).toBe(true)
  expect(rules.find(rule => rule.rule === 'circular_flow')?.thresholds).toEqual({
    max_agents: 4,
    min_amount: 500,
    leg_percent: 80,
    window_minutes: 60,
  })
  await world.tune('new_payees', { min_payees: 0 })
  const broken = (await server.ask<List>('GET', 'rules', 200)).rules.find(rule => rule.rule === 'new_payees')
  expect(broken).toMatchObject({
    enabled: false,
    severity: null,
    problem: 'min_payees must be a whole number from 1 to 500',
  })
})
