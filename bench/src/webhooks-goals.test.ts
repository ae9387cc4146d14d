import { expect, it } from 'vitest'
import type { Goal } from './goals.ts'
import type { LoadReport } from './messages.ts'
import type { WebhooksReport } from './webhooks.ts'
import { goalsOfWebhooks } from './webhooks-goals.ts'

const nothing: WebhooksReport = { agents: 0, pay: [], hang: [], steady: null, rates: [], findings: [] }

function load(counted: number): LoadReport {
  const times = { p50Ms: 1, p95Ms: 1, p99Ms: 1, cpuSeconds: 0 }
  return { seconds: 1, counted, paid: counted, refused: {}, refusal: null, ...times }
}

function pay(connections: number, isRegistered: boolean, counted: number): WebhooksReport['pay'][number] {
  const unmeasured = { usage: null, receiverCpuSeconds: 0, delivered: 0, drain: null }
  return { ...load(counted), ...unmeasured, connections, isRegistered }
}

function whileAnother(manner: 'respond' | 'hang', p99Ms: number): WebhooksReport['hang'][number] {
  return { manner, perSecond: 400, p50Ms: 1, p99Ms, longestMs: p99Ms, otherResponses: 0, otherOpen: 0 }
}

function steady(delivered: number, memory: readonly number[]): NonNullable<WebhooksReport['steady']> {
  return {
    ...load(delivered / 2),
    usage: null,
    receiverCpuSeconds: 0,
    perSecondDelivered: [delivered],
    delivered,
    longestMs: 1,
    drain: { delivered: 0, missing: 0, seconds: 0 },
    memory,
  }
}

function verdicts(report: Partial<WebhooksReport>): Goal['verdict'][] {
  return goalsOfWebhooks({ ...nothing, ...report }).map(goal => goal.verdict)
}

it('the share of payments with webhooks is computed within each round', () => {
  const rounds = [pay(64, false, 100), pay(64, true, 90), pay(64, true, 900), pay(64, false, 1_000)]
  const [goal] = goalsOfWebhooks({ ...nothing, pay: rounds })
  expect(goal).toMatchObject({ measured: '0.90', verdict: 'reached' })
  expect(verdicts({ pay: [pay(64, false, 100), pay(64, true, 79)] })[0]).toBe('missed')
})

it('the goal allows a p99 a tenth longer with a hanging receiver', () => {
  expect(verdicts({ hang: [whileAnother('hang', 11), whileAnother('respond', 10)] })[2]).toBe('reached')
  expect(verdicts({ hang: [whileAnother('hang', 12), whileAnother('respond', 10)] })[2]).toBe('missed')
})

it('the goal is a thousand webhooks a second without growth of memory', () => {
  expect(verdicts({ steady: steady(1_000, [9, 5, 9]) }).slice(3, 5)).toEqual(['reached', 'reached'])
  expect(verdicts({ steady: steady(999, [9, 5, 10]) }).slice(3, 5)).toEqual(['missed', 'missed'])
})

it('the cost of a webhook is half of what a payment costs more with two of them', () => {
  const usage = (service: number, postgres: number) => ({ usage: { service, postgres } as never })
  const rate = { ...load(1_000), wantedPerSecond: 1_000, delivered: 2_000, drain: null }
  const rates = [
    { ...rate, isRegistered: false, ...usage(0.1, 0.08) },
    { ...rate, isRegistered: true, ...usage(0.22, 0.12) },
  ]
  expect(goalsOfWebhooks({ ...nothing, rates })[7]).toMatchObject({
    measured: '60 + 20 µs',
    verdict: 'reached',
  })
})

it('the last webhook must arrive within a second of the last payment', () => {
  const fast = (seconds: number) => ({
    ...{ ...load(2_000), usage: null, wantedPerSecond: 2_000, isRegistered: true, delivered: 4_000 },
    drain: { delivered: 1, missing: 0, seconds },
  })
  expect(verdicts({ rates: [fast(1)] })[6]).toBe('reached')
  expect(verdicts({ rates: [fast(1.1)] })[6]).toBe('missed')
})

it('a goal of webhooks without measurements is neither reached nor missed', () => {
  expect(new Set([...verdicts({}), ...goalsOfWebhooks(null).map(goal => goal.verdict)])).toEqual(
    new Set(['not measured']),
  )
})
