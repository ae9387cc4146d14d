import { expect, it } from 'vitest'
import { goalsOfPayments } from './goals.ts'
import type { LoadName } from './loads.ts'
import type { LoadMeasurement, Measurements } from './measure.ts'

function rounds(...rates: number[]): LoadMeasurement[] {
  return rates.map(rate => ({
    seconds: 1,
    counted: rate,
    paid: rate,
    refused: {},
    refusal: null,
    p50Ms: 1,
    p95Ms: 1,
    p99Ms: 1,
    cpuSeconds: 0,
    usage: null,
    commandsPerCommit: 1,
    secondsPerCommit: 1,
    logBytesPerPayment: 1,
  }))
}

function measured(
  loads: Partial<Record<LoadName, LoadMeasurement[]>>,
  tpcb: readonly number[],
): Measurements {
  return {
    loads: new Map(Object.entries(loads) as [LoadName, LoadMeasurement[]][]),
    tpcb: tpcb.map(perSecond => ({
      perSecond,
      transactions: perSecond,
      averageMs: 1,
      usage: null,
      seconds: 1,
      cpuSeconds: 0,
    })),
    tpcbAloneMs: [],
    paid: 0,
  }
}

it('ratios are computed within each round, so that a slow round does not distort them', () => {
  const [goal] = goalsOfPayments(measured({ 'random-64': rounds(30, 300, 300) }, [10, 100, 50]))
  expect(goal?.measured).toBe('3.00')
  expect(goal?.verdict).toBe('reached')
})

it('the goal is reached at twice the rate of TPC-B and missed at the same rate', () => {
  const twice = goalsOfPayments(measured({ 'random-64': rounds(20) }, [10]))
  const once = goalsOfPayments(measured({ 'random-64': rounds(10) }, [10]))
  expect([twice[0]?.verdict, once[0]?.verdict]).toEqual(['minimum reached', 'missed'])
})

it('a goal without measurements is neither reached nor missed', () => {
  const verdicts = goalsOfPayments(measured({ 'hot-64': rounds(10) }, [])).map(goal => goal.verdict)
  expect(new Set(verdicts)).toEqual(new Set(['not measured']))
})
