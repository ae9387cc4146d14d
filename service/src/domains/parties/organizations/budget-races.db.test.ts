import { afterAll, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { expectBalanced } from '../../../testing/builders.ts'
import type { StageAgent } from '../../../testing/limits/policy-stage.ts'
import { openLab, outcomeOf, stage, test } from './testing/organization-stage.ts'

const AT_ONCE = 200

let payee: StageAgent
test.beforeAll(async () => {
  payee = await stage.newAgentOf(await stage.newOwner())
})
afterAll(async () => {
  await expectBalanced(stage.db.database)
})

/** Makes this many concurrent payments, alternating between both nodes. Returns how many succeeded. */
async function payAtOnce(payer: StageAgent, amount: number, times = AT_ONCE): Promise<number> {
  const responses = await Promise.all(
    Array.from({ length: times }, (_, number) => stage.pay(payer, payee, amount, number % 2)),
  )
  const refusals = responses.filter(({ status }) => status !== 200)
  expect(new Set(refusals.map(outcomeOf))).toEqual(
    new Set(refusals.length === 0 ? [] : ['spend_limit_exceeded']),
  )
  return responses.length - refusals.length
}

test(`of ${AT_ONCE} concurrent payments on two nodes exactly as many succeed as fit under the budget`, async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 1000.05)
  expect(await payAtOnce(worker, 10)).toBe(100)
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 1000, remaining: 0.05 })
  expect(await stage.payOnBoth(worker, payee, 0.06)).toEqual(['org', 'org'])
  expect(await stage.payOnBoth(worker, payee, 0.05)).toEqual([200, 'org'])
})

test('while budgets change under many payments, each budget applies from its response on, to the paisa', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 700)
  const spent = async () => Number((await lab.budgetOf(worker))?.['spent_this_month'])
  const payments = payAtOnce(worker, 10)
  let [most, inForce] = [700, 700]
  for (const [turn, budget] of [600, 300, 500, 200, 0, 700].entries()) {
    const { status } = await lab.setBudget(worker, budget, turn % 2)
    expect(status).toBe(200)
    // A raise waits for the cooldown.
    inForce = Math.min(budget, inForce)
    // The sum spent so far is the maximum, unless the budget allows more.
    most = Math.max(inForce, Math.min(await spent(), most))
    await Promise.all([stage.pay(worker, payee, 10, 0), stage.pay(worker, payee, 10, 1)])
    expect(await spent()).toBeLessThanOrEqual(most)
  }
  await payments
  expect(await spent()).toBeLessThanOrEqual(most)
  await stage.advance(DAY_MS)
  await payAtOnce(worker, 10, 80)
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 700, remaining: 0 })
})

test('of 20 agents that join concurrently exactly as many become members as the organization has room for', async () => {
  const lab = await openLab(stage)
  await lab.hire('treasury')
  const agents: StageAgent[] = []
  for (let number = 0; number < 20; number++) agents.push(await stage.newAgentOf(lab.owner))
  const responses = await Promise.all(
    agents.map(({ id }, number) =>
      lab.ask(
        'POST',
        '/agents',
        { agent_id: id, role: number % 5 === 0 ? 'treasury' : 'worker' },
        number % 2,
      ),
    ),
  )
  const outcomes = responses.map(outcomeOf)
  expect(outcomes.filter(outcome => outcome === 201)).toHaveLength(4)
  expect(outcomes.filter(outcome => outcome === 'conflict')).toHaveLength(16)
  expect((await lab.ask('GET', '/budget')).body['members']).toHaveLength(5)
})

test('an agent that joins two organizations concurrently becomes a member of one', async () => {
  const lab = await openLab(stage)
  const other = await openLab(stage, 'tier2', lab.owner)
  for (let turn = 0; turn < 5; turn++) {
    const agent = await stage.newAgentOf(lab.owner)
    const body = { agent_id: agent.id, role: 'worker' }
    const responses = await Promise.all(
      [lab, other, lab, other].map(({ ask }, number) => ask('POST', '/agents', body, number % 2)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409])
    for (const each of [lab, other]) await each.remove(agent)
  }
})

test('of agents that are named treasury concurrently one is the treasury, and the others are workers', async () => {
  const lab = await openLab(stage)
  const agents = [await lab.hire('treasury'), await lab.hire('worker', 5), await lab.hire('admin', 5)]
  for (let turn = 0; turn < 5; turn++) {
    const responses = await Promise.all(
      [...agents, ...agents].map((agent, number) => lab.nameTreasury(agent, number % 2)),
    )
    expect(new Set(responses.map(outcomeOf))).toEqual(new Set([200]))
    const { treasury_agent_id } = (await lab.ask('GET', '')).body
    const members = (await lab.ask('GET', '/budget')).body['members'] as Record<string, unknown>[]
    expect(members.map(({ role }) => role)).toEqual(['treasury', 'worker', 'worker'])
    expect(members[0]?.['agent_id']).toBe(treasury_agent_id)
  }
  await stage.advance(DAY_MS)
  const members = (await lab.ask('GET', '/budget')).body['members'] as Record<string, unknown>[]
  expect(members.map(({ budget_limit }) => budget_limit)).toEqual([null, null, null])
})
