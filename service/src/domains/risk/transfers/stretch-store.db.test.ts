import { expect } from 'vitest'
import type { Uuid } from '../../../kernel/ids.ts'
import { test, world } from '../testing/risk-world.ts'
import { type Payer, selectClosingLegs, selectPayers, selectReceivers } from './stretch-store.ts'

let agents: Uuid[]
let span: { afterId: Uuid; lastId: Uuid }
let newestOf: Map<Uuid, Uuid>
let newestTo: Map<Uuid, Uuid>

// Seven agents pay each other in turn: 100 to 700 paise, and then 1,000 paise more each.
test.beforeAll(async () => {
  agents = (await Promise.all(Array.from({ length: 7 }, () => world.agent()))).toSorted()
  const paid = await world.pay(agents[0] ?? '', agents[1] ?? '', 9_999n)
  newestOf = new Map()
  newestTo = new Map()
  let lastId = paid.id
  for (const extra of [0n, 1_000n]) {
    for (const [at, payer] of agents.entries()) {
      const payee = agents[(at + 1) % agents.length] ?? ''
      const { id } = await world.pay(payer, payee, BigInt(100 * (at + 1)) + extra)
      newestOf.set(payer, id)
      newestTo.set(payee, id)
      lastId = id
    }
  }
  span = { afterId: paid.id, lastId }
})

async function inPortions(atMost: number): Promise<Payer[]> {
  const payers: Payer[] = []
  for (;;) {
    const portion = await selectPayers(world.database, { ...span }, payers.at(-1)?.agentId ?? null, atMost)
    payers.push(...portion)
    if (portion.length < atMost) return payers
  }
}

test('every payer of a stretch is read once, a few at a time, with its newest payment', async () => {
  const expected = agents.map((agentId, at) => ({
    agentId,
    newestId: newestOf.get(agentId),
    leastPaise: BigInt(100 * (at + 1)),
    mostPaise: BigInt(100 * (at + 1)) + 1_000n,
  }))
  for (const atMost of [1, 3, 7, 100]) expect(await inPortions(atMost)).toEqual(expected)
})

test('the newest larger payments to every payee are read, a few payees at a time', async () => {
  const limits = { minAmountPaise: 300, agents: 3, legsEach: 1 }
  const payees: Uuid[] = []
  for (let behind: Uuid | null = null; ; ) {
    const legs = await selectClosingLegs(world.database, { ...span }, { ...limits, behind })
    for (const leg of legs) expect([leg.payee, leg.id]).toEqual([leg.payee, newestTo.get(leg.payee)])
    payees.push(...legs.map(leg => leg.payee))
    behind = legs.at(-1)?.payee ?? null
    if (legs.length < limits.agents) break
  }
  expect(payees).toEqual(agents)
})

test('receivers are the payees of payments of at least the minimum amount', async () => {
  const receivers = await selectReceivers(world.database, span, 1_500)
  const expected = agents.filter((_, at) => at >= 4).map((_, at) => agents[(at + 5) % 7] ?? '')
  expect(receivers.map(each => each.agentId).toSorted()).toEqual(expected.toSorted())
  for (const { agentId, newestId } of receivers) expect(newestId).toBe(newestTo.get(agentId))
})
