import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openTraceCollector,
  type ReceivedSpan,
  type TraceCollector,
} from '../service/src/testing/trace-collector.ts'
import { openStage, type Stage } from './src/stage.ts'
import { openReceiver, type Receiver } from './src/webhook-receiver.ts'
import { until } from './src/webhook-stage.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

let stage: Stage
let collector: TraceCollector
let receiver: Receiver
const spansOf = (name: string): readonly ReceivedSpan[] =>
  collector.named(name).filter(({ traceId }) => traceId === TRACE)

/** One payment of a caller with a trace, delivered to the receivers of both sides, and the stop of the service. */
beforeAll(async () => {
  collector = await openTraceCollector()
  receiver = await openReceiver()
  stage = await openStage({
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const { api, network } = stage
  const platform = await network.platform()
  const owner = await network.owner(platform)
  const [payer, payee] = [await network.agent(owner), await network.agent(owner)]
  receiver.trust(platform.webhookSecret)
  await api.ok(routes.updatePlatform, {
    params: { platform_id: platform.id },
    headers: platform.headers,
    body: { webhook_url: receiver.url },
  })
  await network.fund(payer, 100)
  const pay = (headers: Readonly<Record<string, string>>) =>
    api.ok(routes.pay, {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, ...headers },
      body: { to: payee.id, amount: 2, reference: 'secret-reference', note: 'secret-note' },
    })
  await pay({ traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=secret-state' })
  await pay({})
  await until(() => payments().length === 4)
  await stage.service.stop()
}, 60_000)

afterAll(async () => {
  await receiver.close()
  await stage.close()
  await collector.close()
})

const payments = () => [...receiver.received.values()].filter(({ body }) => body.includes('agent.payment.'))

test('a payment is one trace: its request with the wait in the queue and the batch, and the commit in the batch', () => {
  const [request, ...others] = spansOf('POST /v1/agents/{agent_id}/pay')
  expect(others).toEqual([])
  expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2, hasFailed: false, service: 'batua' })
  expect(request?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': '/v1/agents/{agent_id}/pay',
    'http.response.status_code': 200,
    'batua.request_id': expect.stringMatching(/^req_/),
  })
  const [wait, batch, commit] = ['ledger queue', 'ledger batch', 'ledger commit'].map(
    name => spansOf(name)[0],
  )
  expect(wait?.parentSpanId).toBe(request?.spanId)
  expect(batch?.parentSpanId).toBe(request?.spanId)
  expect(batch?.attributes).toMatchObject({ 'batua.commands': 1 })
  expect(commit?.parentSpanId).toBe(batch?.spanId)
  const times = [request?.startNs, wait?.startNs, wait?.endNs, commit?.startNs, commit?.endNs, batch?.endNs]
  expect(times.every((time, at) => at === 0 || (times[at - 1] ?? 0n) <= (time ?? 0n))).toBe(true)
  expect((request?.endNs ?? 0n) >= (commit?.endNs ?? 0n)).toBe(true)
})

test('each delivery of the payment is a trace of its own that names the request, and its receiver can continue it', () => {
  const [request] = spansOf('POST /v1/agents/{agent_id}/pay')
  const deliveries = collector.named('webhook delivery')
  expect(deliveries).toHaveLength(2)
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({
      parentSpanId: null,
      links: [request?.spanId],
      kind: 3,
      hasFailed: false,
    })
    const event = receiver.received.get(String(delivery.attributes['batua.event_id']))
    const headers = event?.arrivals.map(arrival => arrival.headers['traceparent'])
    expect(headers).toEqual([`00-${delivery.traceId}-${delivery.spanId}-01`])
  }
})

test('a payment that is not sampled passes its trace on and leaves no span', () => {
  const sampled = new Set(collector.named('webhook delivery').map(({ traceId }) => traceId))
  const others = payments().flatMap(({ arrivals }) => arrivals.map(({ headers }) => headers['traceparent']))
  const unsampled = others.filter(header => !sampled.has(String(header).split('-')[1] ?? ''))
  expect(unsampled).toHaveLength(2)
  for (const header of unsampled) expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  expect(
    collector.spans().every(({ name, traceId }) => traceId === TRACE || name === 'webhook delivery'),
  ).toBe(true)
})

test('the log line of a request has the id of its trace', () => {
  const lines = stage.service
    .output()
    .split('\n')
    .filter(line => line.includes('"msg":"request"'))
  const traces = lines.map(line => String((JSON.parse(line) as Record<string, unknown>)['trace_id']))
  expect(traces.filter(id => id === TRACE)).toHaveLength(1)
  for (const id of traces) expect(id).toMatch(/^[0-9a-f]{32}$/)
})

test('spans have nothing that the caller wrote', () => {
  expect(collector.text()).not.toMatch(/secret-|agk_|agt_/)
})
