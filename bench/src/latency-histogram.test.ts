import { expect, it } from 'vitest'
import { latencyHistogram } from './latency-histogram.ts'

it('a percentile is never below the latencies it covers, and at most one step above', () => {
  const latencies = latencyHistogram()
  for (let index = 1; index <= 1000; index++) latencies.add(index / 100)
  expect(latencies.count()).toBe(1000)
  expect(latencies.percentile(0.5)).toBeGreaterThanOrEqual(5)
  expect(latencies.percentile(0.5)).toBeLessThanOrEqual(5.02)
  expect(latencies.percentile(0.99)).toBeGreaterThanOrEqual(9.9)
  expect(latencies.percentile(0.99)).toBeLessThanOrEqual(9.92)
})

it('p99 shows slow responses from the second in a hundred on', () => {
  const latencies = latencyHistogram()
  for (let index = 0; index < 99; index++) latencies.add(1)
  latencies.add(500)
  expect(latencies.percentile(0.99)).toBeLessThan(2)
  latencies.add(500)
  expect(latencies.percentile(0.99)).toBeGreaterThanOrEqual(500)
})

it('responses slower than the scale count as the slowest', () => {
  const latencies = latencyHistogram()
  latencies.add(1e9)
  expect(latencies.percentile(0.5)).toBe(2000)
})

it('an empty histogram is zero, also after a clear', () => {
  const latencies = latencyHistogram()
  latencies.add(7)
  latencies.clear()
  expect([latencies.count(), latencies.percentile(0.5)]).toEqual([0, 0])
})
