import { expect } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Transfer } from '../../../ledger/index.ts'
import { test, world } from '../testing/risk-world.ts'

interface Leg {
  readonly amount: bigint
  /** The time since the previous leg. */
  readonly afterMs?: number
}

const legs = (...amounts: bigint[]): Leg[] => amounts.map(amount => ({ amount, afterMs: 1_000 }))

/** Pays through as many new agents as there are legs; the last one pays the first. */
async function payRing(way: readonly Leg[]): Promise<{ agents: Uuid[]; transfers: Transfer[] }> {
  const agents = await Promise.all(way.map(() => world.agent()))
  const transfers: Transfer[] = []
  for (const [at, { amount, afterMs = 0 }] of way.entries()) {
    world.clock.advance(afterMs)
    transfers.push(await world.pay(agentAt(agents, at), agentAt(agents, (at + 1) % way.length), amount))
  }
  await world.run()
  return { agents, transfers }
}

function agentAt(agents: readonly Uuid[], at: number): Uuid {
  const agent = agents[at]
  if (agent === undefined) throw new Error(`there is no agent ${at}`)
  return agent
}

async function openedBy(way: readonly Leg[]): Promise<number> {
  const { agents } = await payRing(way)
  const alerts = await Promise.all(agents.map(agent => world.alerts(agent, 'circular_flow')))
  return alerts.flat().length
}

test.each([2, 3, 4])(
  'a circular_flow alert is opened by money that returns through %i agents',
  async count => {
    const { agents, transfers } = await payRing(legs(...Array.from({ length: count }, () => 50_000n)))
    const [first = '', ...others] = agents
    const [alert] = await world.alerts(first, 'circular_flow')
    expect(alert).toMatchObject({ agentId: first, severity: 'high', score: 50 })
    expect(alert?.evidence).toMatchObject({
      summary: `500.00 INR went out and 500.00 INR came back within 1 hour, round through ${count} agents.`,
      figures: { agents: count, first_amount: 500, least_amount: 500, last_amount: 500 },
      thresholds: { max_agents: 4, min_amount: 500, leg_percent: 80, window_minutes: 60 },
      payment_ids: transfers.map(transfer => formatId('pay', transfer.id)),
      agent_ids: others.map(id => formatId('agt', id)),
    })
    for (const other of others) expect(await world.alerts(other, 'circular_flow')).toEqual([])
  },
)

test('a circular_flow alert is not opened by a ring of five agents', async () => {
  expect(await openedBy(legs(50_000n, 50_000n, 50_000n, 50_000n, 50_000n))).toBe(0)
})

test.each([0, 1, 2, 3])(
  'a circular_flow alert is not opened if leg %i is one paisa below the minimum amount',
  async short => {
    const amounts = Array.from({ length: 4 }, (_, at) => (at === short ? 49_999n : 50_000n))
    expect(await openedBy(legs(...amounts))).toBe(0)
  },
)

test.each([1, 2, 3])(
  'a circular_flow alert is opened if leg %i is four fifths of the first, and not if it is one paisa less',
  async at => {
    const way = (amount: bigint) =>
      legs(...Array.from({ length: 4 }, (_, leg) => (leg === at ? amount : 100_000n)))
    expect(await openedBy(way(80_000n))).toBe(1)
    // No ring starts at the agent of the smaller leg either: the money does not return to it later.
    expect(await openedBy(way(79_999n))).toBe(0)
  },
)

test('a circular_flow alert is not opened by money that returns after an hour, and is one millisecond earlier', async () => {
  const [half, rest] = [HOUR_MS / 2, HOUR_MS / 2]
  const way = (lastMs: number) => [
    { amount: 50_000n },
    { amount: 50_000n, afterMs: half },
    { amount: 50_000n, afterMs: lastMs },
  ]
  expect(await openedBy(way(rest))).toBe(0)
  expect(await openedBy(way(rest - 1))).toBe(1)
})

test('a circular_flow alert is not opened by legs in the wrong order', async () => {
  const [one, two, three] = await Promise.all([world.agent(), world.agent(), world.agent()])
  await world.payOften(two, three, 50_000n, 1)
  world.clock.advance(1_000)
  await world.payOften(one, two, 50_000n, 1)
  world.clock.advance(1_000)
  await world.payOften(three, one, 50_000n, 1)
  await world.run()
  expect(await world.alerts(one, 'circular_flow')).toEqual([])
})

test('a circular_flow alert is opened after the last leg, even if the rules ran between the legs', async () => {
  const [one, two, three] = await Promise.all([world.agent(), world.agent(), world.agent()])
  await world.pay(one, two, 60_000n)
  await world.run()
  await world.pay(two, three, 60_000n)
  await world.run()
  await world.pay(three, one, 60_000n)
  expect(await world.alerts(one, 'circular_flow')).toEqual([])
  await world.run()
  expect((await world.alerts(one, 'circular_flow')).length).toBe(1)
})

test('circular_flow finds a ring among many other payments', async () => {
  const [one, two, three, four] = await Promise.all(Array.from({ length: 4 }, () => world.agent()))
  const others = await Promise.all(Array.from({ length: 20 }, () => world.agent()))
  const noise = async (agent: Uuid) => {
    for (const each of others) await world.pay(agent, each, 70_000n)
    for (const each of others.slice(0, 5)) await world.pay(each, agent, 10_000n)
  }
  const ring = [one, two, three, four] as Uuid[]
  for (const [at, agent] of ring.entries()) {
    await noise(agent)
    world.clock.advance(1_000)
    await world.pay(agent, agentAt(ring, (at + 1) % 4), 60_000n)
    world.clock.advance(1_000)
  }
  await world.run()
  expect((await world.alerts(agentAt(ring, 0), 'circular_flow'))[0]?.evidence.figures['agents']).toBe(4)
})
