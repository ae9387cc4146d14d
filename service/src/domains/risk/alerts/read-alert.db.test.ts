import type { ResponseOf, routes } from '@batua/contract'
import { afterAll, expect } from 'vitest'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { type RiskServer, startRiskServer } from '../testing/risk-server.ts'
import { test, world } from '../testing/risk-world.ts'

let server: RiskServer

test.beforeAll(async () => {
  server = await startRiskServer(world, async () => undefined)
})
afterAll(async () => {
  await server.close()
})

type Details = ResponseOf<typeof routes.getRiskAlert>
const read = (alertId: string) => server.ask<Details>('GET', `alerts/${alertId}`, 200)
const agt = (id: Uuid) => formatId('agt', id)

async function alertOf(agentId: Uuid, rule: Parameters<typeof world.alerts>[1]): Promise<string> {
  const [alert] = await world.alerts(agentId, rule)
  if (alert === undefined) throw new Error(`no alert of ${rule}`)
  return formatId('alr', alert.id)
}

test('an alert is shown with the payments of its evidence, their two sides and every agent once', async () => {
  const [one, two, three]: Uuid[] = [await world.agent(), await world.agent(), await world.agent()]
  const ring = [
    [one, two, 60_000n],
    [two, three, 55_050n],
    [three, one, 50_000n],
  ] as const
  const payments: Details['payments'][number][] = []
  for (const [from, to, amount] of ring) {
    world.clock.advance(1_000)
    const { id, postedAt } = await world.pay(from ?? '', to ?? '', amount)
    payments.push({
      payment_id: formatId('pay', id),
      from_agent_id: agt(from ?? ''),
      to_agent_id: agt(to ?? ''),
      amount: Number(amount) / 100,
      created_at: postedAt.toISOString(),
    })
  }
  await world.run()
  const details = await read(await alertOf(one ?? '', 'circular_flow'))
  expect(details).toMatchObject({ agent_id: agt(one ?? ''), rule: 'circular_flow', status: 'open' })
  expect(details.payments).toEqual(payments)
  expect(details.agents.map(({ agent_id, status }) => [agent_id, status])).toEqual(
    [one, two, three].map(id => [agt(id ?? ''), 'active']),
  )
})

test('an alert that names no payments has the agent that it is about', async () => {
  const { agentId, alertId } = await server.alerted()
  const { agents, payments } = await read(alertId)
  expect([agents.map(({ agent_id }) => agent_id), payments]).toEqual([[agt(agentId)], []])
})

test('an unknown alert is not found', async () => {
  await server.ask('GET', `alerts/${formatId('alr', newUuid(new Date()))}`, 404)
  await server.ask('GET', 'alerts/agt_1', 404)
})
