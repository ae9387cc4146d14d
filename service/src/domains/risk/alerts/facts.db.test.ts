import { afterAll, expect } from 'vitest'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Actor } from '../../../operations/facts.ts'
import { factsDuring } from '../../../testing/facts.ts'
import { type RiskServer, startRiskServer } from '../testing/risk-server.ts'
import { test, world } from '../testing/risk-world.ts'

const ADMIN = { type: 'admin', id: 'xxxxxx9999' } as const

let server: RiskServer
/** The agents that a review quarantined, and the actor of each. */
const quarantined: { readonly agentId: Uuid; readonly actor: Actor }[] = []

test.beforeAll(async () => {
  server = await startRiskServer(world, async (_tx, agentId, { actor }) =>
    quarantined.push({ agentId, actor }),
  )
})
afterAll(async () => {
  await server.close()
})

const during = (work: () => Promise<unknown>) => factsDuring(world.database, work)
const review = (alertId: string, body: unknown) =>
  during(() => server.send('POST', `alerts/${alertId}/review`, body))

test('an alert is recorded once, with its evidence and in no agent’s trail', async () => {
  const payer = await world.agent()
  const payee = await world.agent()
  await world.payOften(payer, payee, 100n, 25)
  const facts = await during(() => world.run())
  const [alert] = await world.alerts(payer, 'velocity_spike')
  expect(facts).toEqual([
    {
      agentId: null,
      actor: { type: 'service', id: 'risk rules' },
      action: 'risk.alert_opened',
      target: formatId('alr', alert?.id ?? ''),
      data: {
        agent_id: formatId('agt', payer),
        platform_id: formatId('plt', alert?.platformId ?? ''),
        rule: 'velocity_spike',
        severity: alert?.severity,
        score: alert?.score,
        evidence: alert?.evidence,
      },
    },
  ])
  await world.payOften(payer, payee, 100n, 25)
  expect(await during(() => world.run(2))).toEqual([])
})

test('a dismissal is recorded once, with the administrator as the actor', async () => {
  const { agentId, alertId } = await server.alerted()
  const [fact, ...others] = await review(alertId, { decision: 'dismiss', note: 'a sale' })
  expect(others).toEqual([])
  expect(fact).toEqual({
    agentId: null,
    actor: ADMIN,
    action: 'risk.alert_reviewed',
    target: alertId,
    data: {
      agent_id: formatId('agt', agentId),
      platform_id: expect.stringMatching(/^plt_/),
      rule: 'repeated_refusals',
      status: { from: 'open', to: 'dismissed' },
      note: 'a sale',
      quarantined: false,
    },
  })
  expect(await review(alertId, { decision: 'dismiss' })).toEqual([])
})

test('a review that quarantines the agent records that, and the quarantine has the administrator as its actor', async () => {
  const { agentId, alertId } = await server.alerted()
  expect(await review(alertId, { decision: 'confirm', action: 'quarantine' })).toMatchObject([
    { agentId: null, actor: ADMIN, data: { status: { from: 'open', to: 'confirmed' }, quarantined: true } },
  ])
  expect(quarantined).toEqual([{ agentId, actor: ADMIN }])
})
