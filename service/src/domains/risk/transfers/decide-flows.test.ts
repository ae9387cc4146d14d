import { expect, describe as group, test } from 'vitest'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { decideCircularFlow, type Leg } from './decide-circular-flow.ts'
import { decidePassThrough } from './decide-pass-through.ts'

const at = (ms: number): Uuid => firstUuidAt(new Date(ms))

function leg(ms: number, payer: string, payee: string, amount: bigint): Leg {
  return { id: at(ms), payer, payee, amountPaise: paise(amount) }
}

function decideOf(legs: readonly Leg[], fromMs = 0, maxAgents = 4) {
  const facts = {
    agentId: 'A',
    fromMs,
    toMs: 10_000,
    closing: legs.filter(each => each.payee === 'A'),
    from: Map.groupBy(legs, each => each.payer),
    to: Map.groupBy(legs, each => each.payee),
  }
  const thresholds = { maxAgents, minAmountPaise: 500, legPercent: 80, windowMinutes: 60 }
  return decideCircularFlow(facts, thresholds)
}

group('circular flow', () => {
  const ring = [
    leg(1, 'A', 'B', 600n),
    leg(2, 'B', 'C', 600n),
    leg(3, 'C', 'D', 600n),
    leg(4, 'D', 'A', 600n),
  ]

  test('a ring is found with every payment in it', () => {
    expect(decideOf(ring)).toMatchObject({
      paymentIds: [1, 2, 3, 4].map(at),
      agentIds: ['B', 'C', 'D'],
      figures: { agents: 4 },
    })
  })

  test.each([0, 1, 2, 3])('there is no ring if leg %i is too small', small => {
    const legs = ring.map((each, index) => (index === small ? { ...each, amountPaise: paise(499n) } : each))
    expect(decideOf(legs)).toBeNull()
  })

  test('there is no ring if its first payment is before the window', () => {
    expect(decideOf(ring, 1)).not.toBeNull()
    expect(decideOf(ring, 2)).toBeNull()
  })

  test('there is no ring through more agents than the rule allows', () => {
    expect(decideOf(ring, 0, 3)).toBeNull()
    const three = [leg(1, 'A', 'B', 600n), leg(2, 'B', 'C', 600n), leg(3, 'C', 'A', 600n)]
    expect(decideOf(three, 0, 3)).not.toBeNull()
    expect(decideOf(three, 0, 2)).toBeNull()
  })

  test('there is no ring if an agent occurs twice or the legs are out of order', () => {
    expect(
      decideOf([
        leg(1, 'A', 'B', 600n),
        leg(2, 'B', 'C', 600n),
        leg(3, 'C', 'B', 600n),
        leg(2, 'B', 'A', 499n),
      ]),
    ).toBeNull()
    expect(decideOf([leg(2, 'A', 'B', 600n), leg(1, 'B', 'C', 600n), leg(3, 'C', 'A', 600n)])).toBeNull()
  })

  test('a ring is found from a later first leg if the earlier one is too large for the other legs', () => {
    const legs = [leg(0, 'A', 'B', 100_000n), ...ring]
    expect(decideOf(legs)?.paymentIds?.[0]).toBe(at(1))
  })
})

group('money that passes through', () => {
  const thresholds = { minTimes: 1, minAmountPaise: 1_000, outPercent: 90, outMinutes: 10, windowMinutes: 60 }
  const decide = (incoming: [number, bigint][], outgoing: [number, bigint][]) => {
    const flows = (list: [number, bigint][]) =>
      list.map(([ms, amount]) => ({ id: at(ms), amountPaise: paise(amount) }))
    return decidePassThrough(
      { fromMs: 0, toMs: 0, incoming: flows(incoming), outgoing: flows(outgoing) },
      thresholds,
    )
  }

  test('only money that goes out after it came in has passed through', () => {
    expect(decide([[2, 1_000n]], [[1, 1_000n]])).toBeNull()
    expect(decide([[1, 1_000n]], [[2, 900n]])?.figures).toEqual({ times: 1, total: 10 })
  })

  test('money has passed through once nine tenths went out, rounded up to the paisa', () => {
    expect(decide([[1, 1_001n]], [[2, 900n]])).toBeNull()
    expect(decide([[1, 1_001n]], [[2, 901n]])).not.toBeNull()
  })

  test('an outgoing payment is counted against the oldest incoming money first', () => {
    const twice: [number, bigint][] = [
      [1, 1_000n],
      [2, 1_000n],
    ]
    expect(decide(twice, [[3, 1_799n]])?.figures['times']).toBe(1)
    expect(decide(twice, [[3, 1_800n]])?.figures['times']).toBe(2)
  })
})
