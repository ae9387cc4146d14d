import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import {
  asOwners,
  openPolicyStage,
  type PolicyStage,
  type StageAgent,
} from '../../../testing/limits/policy-stage.ts'
import { serveAllowances } from '../allowances/routes.ts'
import { serveExposure } from './exposure.ts'

/** Eight in the evening in India. Every tick from here on is a moment at which a calendar day may begin. */
const EVENING = new Date('2026-11-29T14:30:00.000Z')
const TICK_MS = HOUR_MS / 2

let stage: PolicyStage

beforeAll(async () => {
  stage = await openPolicyStage(EVENING, (serve, context) => {
    serveExposure(serve, context)
    serveAllowances(serve, context)
  })
})
afterAll(() => stage.close())

const exposureOf = async (agent: StageAgent) =>
  (await stage.ask('GET', `/v1/agents/${agent.id}/exposure`, agent.headers)).body

const exposure = { hour: { amount: 0 }, day: { amount: 0 } }

async function mostTo(payer: StageAgent, payee: StageAgent): Promise<number> {
  const isPaid = async (paise: number) => {
    const asked = { to: payee.id, amount: paise / 100 }
    const { body } = await stage.ask('POST', `/v1/agents/${payer.id}/policy/evaluate`, payer.headers, asked)
    return body['decision'] === 'approved'
  }
  if (!(await isPaid(1))) return 0
  let [low, high] = [1, 12_001]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await isPaid(middle)) low = middle
    else high = middle
  }
  return low
}

/** Pays the largest amount that `evaluate` approves to anybody, until it approves none. */
async function payAll(payer: StageAgent, payees: readonly StageAgent[]): Promise<number> {
  let paid = 0
  for (;;) {
    let best: { payee: StageAgent; paise: number } | null = null
    for (const payee of payees) {
      const paise = await mostTo(payer, payee)
      if (paise > 0 && (best === null || paise > best.paise)) best = { payee, paise }
    }
    if (best === null) return paid
    const { status } = await stage.pay(payer, best.payee, best.paise / 100)
    expect(status).toBe(200)
    paid += best.paise
  }
}

test('the exposure is what an agent can pay within a day that asks the service for every payment', async () => {
  const signedUp = await stage.newOwner()
  const payees = [
    await stage.newAgentOf(signedUp),
    await stage.newAgentOf(signedUp),
    await stage.newAgentOf(signedUp),
  ] as const
  const payer = await stage.newAgentOf(signedUp, {
    spend_limit_hourly: 90,
    spend_limit_daily: 260,
    per_counterparty_daily_limit: 100,
    max_counterparties_per_hour: 2,
    require_human_approval_above: 40,
    allowed_payees: [payees[0].id, payees[1].id],
  })
  const raised = { spend_limit_hourly: 120, allowed_payees: payees.map(({ id }) => id) }
  await stage.ask('PATCH', `/v1/agents/${payer.id}`, signedUp.platform, raised)
  await stage.advance(20 * HOUR_MS)
  await stage.pay(payer, payees[0], 30)
  await stage.advance(TICK_MS)
  await stage.pay(payer, payees[1], 12.34)
  await stage.ask('POST', '/v1/allowances', asOwners(signedUp.ownerId), {
    ...{ agent_id: payer.id, to: payees[1].id, amount: 75 },
    until: new Date(stage.clock.now().getTime() + 5 * HOUR_MS).toISOString(),
  })
  await stage.advance(TICK_MS)

  const found = (await exposureOf(payer)) as typeof exposure
  let paid = 0
  let inHour = 0
  for (let ticks = 0; ticks < DAY_MS / TICK_MS; ticks++) {
    paid += await payAll(payer, payees)
    if (ticks * TICK_MS < HOUR_MS) inHour = paid
    await stage.advance(TICK_MS)
  }
  expect({ hour: found.hour.amount, day: found.day.amount }).toEqual({
    hour: inHour / 100,
    day: paid / 100,
  })
  expect(found.hour.amount).toBeLessThan(found.day.amount)
}, 120_000)

test('the exposure of an owner’s agents lists them page by page, with the sums over all of them', async () => {
  const signedUp = await stage.newOwner()
  const limits = [10, 20, 30.5]
  const agents: StageAgent[] = []
  for (const limit of limits) agents.push(await stage.newAgentOf(signedUp, { spend_limit_hourly: limit }))
  const session = asOwners(signedUp.ownerId)
  const { body } = await stage.ask('GET', '/api/web/exposure?limit=2', session)
  expect(body).toMatchObject({
    total: { hour: 60.5, held: 0, authorized: 0, pending_approvals: 0 },
    agents: [
      {
        agent_id: agents[2]?.id,
        hour: { amount: 30.5, bound_by: { rule: 'spend_limit_hourly', layer: 'agent' } },
      },
      { agent_id: agents[1]?.id, hour: { amount: 20 } },
    ],
    pagination: { total: 3, limit: 2, offset: 0 },
  })
  const { next_cursor } = body['pagination'] as { next_cursor: string }
  const second = await stage.ask('GET', `/api/web/exposure?limit=2&cursor=${next_cursor}`, session)
  expect(second.body).toMatchObject({ total: { hour: 60.5 }, agents: [{ agent_id: agents[0]?.id }] })
})

test('a stopped agent can pay nothing, whatever its limits and its balance', async () => {
  const signedUp = await stage.newOwner()
  const agent = await stage.newAgentOf(signedUp)
  await stage.ask('POST', `/v1/agents/${agent.id}/pause`, signedUp.platform)
  const nothing = { amount: 0, bound_by: { rule: 'status', layer: null } }
  expect(await exposureOf(agent)).toMatchObject({ hour: nothing, day: nothing, month: nothing })
})
