import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTraceCollector, type TraceCollector } from '../testing/trace-collector.ts'
import { silentLogger } from './logger.ts'
import { openTracing, type TracingSettings } from './tracing.ts'

let collector: TraceCollector

beforeEach(async () => {
  collector = await openTraceCollector()
})
afterEach(() => collector.close())

const open = (
  settings: Partial<TracingSettings> = {},
  logger: Parameters<typeof openTracing>[1] = silentLogger(),
) =>
  openTracing(
    {
      endpoint: collector.endpoint,
      headers: {},
      serviceName: 'batua',
      sampler: 'parentbased_always_on',
      argument: 1,
      ...settings,
    },
    logger,
  )

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const SAMPLED = `00-${TRACE}-${CALLER}-01`
const NOT_SAMPLED = `00-${TRACE}-${CALLER}-00`

test('a span continues the trace that the caller names, and its children are in it', async () => {
  const tracing = await open({ serviceName: 'wallets', headers: { 'x-key': 'of the collector' } })
  const request = tracing.root('POST /v1/pay', { kind: 'server', parent: SAMPLED })
  expect(request).toMatchObject({ isSampled: true, traceId: TRACE })
  const child = request.child('ledger queue')
  child.end()
  request.end({ 'http.response.status_code': 503 }, true)
  await tracing.close()
  const [first, second] = [collector.named('POST /v1/pay')[0], collector.named('ledger queue')[0]]
  expect(first).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: 2, hasFailed: true })
  expect(first).toMatchObject({ service: 'wallets', attributes: { 'http.response.status_code': 503 } })
  expect(second).toMatchObject({ traceId: TRACE, parentSpanId: first?.spanId, kind: 1, hasFailed: false })
  expect(request.traceparent).toBe(`00-${TRACE}-${first?.spanId}-01`)
  expect(collector.text()).toContain('of the collector')
})

test.each([
  '',
  'hello',
  `00-${'0'.repeat(32)}-${CALLER}-01`,
  `ff-${TRACE}-${CALLER}-01`,
  `${SAMPLED}-${SAMPLED}`,
])('the invalid traceparent %j begins a new trace', async parent => {
  const tracing = await open()
  const span = tracing.root('a request', { kind: 'server', parent })
  expect(span.traceId).not.toBe(TRACE)
  expect(span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  span.end()
  await tracing.close()
  expect(collector.named('a request')[0]?.parentSpanId).toBeNull()
})

test('of a trace that its caller does not sample, ids are passed on and nothing is sent', async () => {
  const tracing = await open()
  const span = tracing.root('a request', { kind: 'server', parent: NOT_SAMPLED })
  expect(span).toMatchObject({ isSampled: false, traceId: TRACE })
  const child = span.child('gateway call', 'client')
  expect(child.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  child.end()
  span.end()
  await tracing.close()
  expect(collector.spans()).toEqual([])
})

test.each([
  ['always_on', NOT_SAMPLED, true],
  ['always_off', SAMPLED, false],
  ['traceidratio', SAMPLED, false],
  ['parentbased_always_on', NOT_SAMPLED, false],
  ['parentbased_always_off', SAMPLED, true],
  ['parentbased_always_off', undefined, false],
  ['parentbased_traceidratio', undefined, false],
] as const)('the sampler %s with the caller’s %s records: %s', async (sampler, parent, isSampled) => {
  const tracing = await open({ sampler, argument: 0 })
  expect(tracing.root('a request', { kind: 'server', parent }).isSampled).toBe(isSampled)
  await tracing.close()
})

test('the sampler per_second records so many traces a second with all their spans, whatever callers wish', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const tracing = await open({ sampler: 'per_second', argument: 2 })
  const sampled = (parent?: string) => {
    const request = tracing.root('a request', { kind: 'server', parent })
    expect(request.child('ledger queue').isSampled).toBe(request.isSampled)
    return request.isSampled
  }
  expect([sampled(), sampled(NOT_SAMPLED), sampled(SAMPLED), sampled()]).toEqual([true, true, false, false])
  vi.advanceTimersByTime(500)
  expect([sampled(), sampled()]).toEqual([true, false])
  vi.advanceTimersByTime(60_000)
  expect([sampled(), sampled(), sampled()]).toEqual([true, true, false])
  vi.useRealTimers()
  await tracing.close()
})

test('a span with a sampled cause is recorded whatever the sampler says, and names the cause', async () => {
  const tracing = await open({ sampler: 'always_off' })
  const caused = tracing.root('webhook delivery', { kind: 'client', cause: SAMPLED })
  expect(caused.traceId).not.toBe(TRACE)
  caused.end()
  tracing.root('webhook delivery', { kind: 'client', cause: NOT_SAMPLED }).end()
  tracing.root('webhook delivery', { kind: 'client', cause: null }).end()
  await tracing.close()
  expect(collector.spans().map(({ links, parentSpanId }) => [links, parentSpanId])).toEqual([
    [[CALLER], null],
  ])
})

test('the first of several refusals of the endpoint is logged, and a stop does not wait for it', async () => {
  const lines: string[] = []
  const logger = { warn: (_values: object, text?: string) => void lines.push(String(text)) }
  const tracing = await open({ endpoint: `${collector.endpoint}/elsewhere` }, logger)
  tracing.root('a request', { kind: 'server' }).end()
  await tracing.close()
  expect(lines).toEqual(['spans were not accepted at OTEL_EXPORTER_OTLP_ENDPOINT'])
})
