import { expect, test } from 'vitest'
import { addCounter, addFigures, addHistogram, createMetrics, type Metrics } from '../kernel/metrics.ts'
import { openNodeMetrics, type ReadMetrics } from './node-metrics.ts'

/** The metrics of a worker that has counted so many payments, and has so many commands in its queue. */
function metricsOf(payments: number, queued: number): Metrics {
  const metrics = createMetrics()
  addCounter(metrics, 'batua_webhook_attempts_total').inc({ status: 'delivered' }, payments)
  addHistogram(metrics, 'batua_ledger_batch_commands', [1, 10]).observe(queued)
  addFigures(metrics, { batua_ledger_queued_commands: count => count }, async () => queued)
  addFigures(metrics, { batua_webhook_pending: count => count }, async () => 7)
  return metrics
}

const responding =
  (metrics: Metrics): ReadMetrics =>
  async () =>
    structuredClone(await metrics.getMetricsAsJSON())

/** The value of a series in a text. */
function valueIn(text: string, series: string): number {
  const line = text.split('\n').find(each => each.startsWith(`${series} `))
  return Number(line?.split(' ')[1])
}

const ATTEMPTS = 'batua_webhook_attempts_total{status="delivered"}'

test('counters, histograms and queues are summed, what the database says is shown once, and of event loops the slowest', async () => {
  const workers = new Map([1, 2].map(number => [number, responding(metricsOf(number * 10, number))]))
  const text = await openNodeMetrics(createMetrics(), () => workers).text()
  expect(valueIn(text, ATTEMPTS)).toBe(30)
  expect(valueIn(text, 'batua_ledger_batch_commands_bucket{le="1"}')).toBe(1)
  expect(valueIn(text, 'batua_ledger_batch_commands_sum')).toBe(3)
  expect(valueIn(text, 'batua_ledger_queued_commands')).toBe(3)
  expect(valueIn(text, 'batua_webhook_pending')).toBe(7)
  expect(valueIn(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
  expect(valueIn(text, 'process_start_time_seconds')).toBeGreaterThan(0)
})

test('no sum falls when a worker ends, is replaced, or does not respond', async () => {
  const workers = new Map([1, 2].map(number => [number, responding(metricsOf(10, 0))]))
  const node = openNodeMetrics(createMetrics(), () => workers)
  const attempts = async () => valueIn(await node.text(), ATTEMPTS)
  expect(await attempts()).toBe(20)
  workers.delete(1)
  node.ended(1)
  expect(await attempts()).toBe(20)
  workers.set(1, responding(metricsOf(5, 0)))
  expect(await attempts()).toBe(25)
  workers.set(2, async () => null)
  expect(await attempts()).toBe(25)
  workers.delete(1)
  node.ended(1)
  expect(await attempts()).toBe(25)
})
