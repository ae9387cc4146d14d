import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A span as it was received. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly hasFailed: boolean
  readonly attributes: Readonly<Record<string, string | number>>
  /** The ids of the spans that it names. */
  readonly links: readonly string[]
  readonly startNs: bigint
  readonly endNs: bigint
  readonly service: string
}

/** A receiver of spans by OTLP over HTTP, on loopback. */
export interface TraceCollector {
  readonly endpoint: string
  spans(): readonly ReceivedSpan[]
  named(name: string): readonly ReceivedSpan[]
  /** Everything that it was sent, with the headers. */
  text(): string
  close(): Promise<void>
}

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: number | string
}

interface OtlpAttribute {
  readonly key: string
  readonly value: OtlpValue
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly OtlpAttribute[]
  readonly links?: readonly { readonly spanId: string }[]
  readonly status?: { readonly code?: number }
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

export async function openTraceCollector(): Promise<TraceCollector> {
  const texts: string[] = []
  const spans: ReceivedSpan[] = []
  const server = createServer((request, response) => {
    void buffer(request).then(body => {
      const text = body.toString('utf8')
      const isRight = request.method === 'POST' && request.url === '/v1/traces'
      if (isRight) {
        texts.push(`${JSON.stringify(request.headers)}\n${text}`)
        spans.push(...spansIn(JSON.parse(text) as OtlpRequest))
      }
      response.writeHead(isRight ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    named: name => spans.filter(span => span.name === name),
    text: () => texts.join('\n'),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function spansIn({ resourceSpans }: OtlpRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(scope => scope.spans.map(span => received(span, service)))
  })
}

function received(span: OtlpSpan, service: string): ReceivedSpan {
  const { parentSpanId = '' } = span
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: parentSpanId === '' ? null : parentSpanId,
    name: span.name,
    kind: span.kind,
    hasFailed: span.status?.code === 2,
    attributes: valuesOf(span.attributes),
    links: (span.links ?? []).map(({ spanId }) => spanId),
    startNs: BigInt(span.startTimeUnixNano),
    endNs: BigInt(span.endTimeUnixNano),
    service,
  }
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )
}
