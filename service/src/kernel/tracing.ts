import type * as otel from '@opentelemetry/api'
import type * as tracingSdk from '@opentelemetry/sdk-trace'
import type { Logger } from './logger.ts'

/** The names of samplers: `per_second` is this service's own, the others are as OpenTelemetry defines them. */
export const SAMPLERS = [
  'per_second',
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Where spans are sent, and which. A worker thread gets it as data. */
export interface TracingSettings {
  /** Spans are posted to `/v1/traces` below it. */
  readonly endpoint: string
  /** The headers of these requests, such as a token. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly sampler: (typeof SAMPLERS)[number]
  /** Of `per_second` the most traces in a second, of the samplers by ratio the share of traces, 0 to 1. */
  readonly argument: number
}

/**
 * Everything that a span can say. None of it is written by a caller: no header, body, query or address, and no id except
 * that of a request and of an event.
 */
export interface SpanAttributes {
  readonly 'http.request.method'?: string
  /** As the contract writes it, without values. */
  readonly 'http.route'?: string
  readonly 'http.response.status_code'?: number
  /** A code of an error, never its message. */
  readonly 'error.type'?: string
  /** The host of a gateway, as configured. */
  readonly 'server.address'?: string
  readonly 'batua.request_id'?: string
  readonly 'batua.event_id'?: string
  /** Earlier attempts of a delivery. */
  readonly 'batua.earlier_attempts'?: number
  /** The number of commands in a batch. */
  readonly 'batua.commands'?: number
  /** How a batch was decided. */
  readonly 'batua.decided'?: string
}

type Kind = 'internal' | 'server' | 'client'

/** One span. Of a trace that is not sampled it records nothing, and only passes on the ids. */
export interface Span {
  readonly isSampled: boolean
  readonly traceId: string
  /** The W3C header that names it to others. */
  readonly traceparent: string
  child(name: string, kind?: Kind): Span
  linkTo(other: Span): void
  end(attributes?: SpanAttributes, hasFailed?: boolean): void
}

export interface RootOptions {
  readonly kind: Kind
  /** A `traceparent` header: the span continues that trace. Ignored when it is not valid. */
  readonly parent?: string | undefined
  /** A `traceparent` header of the cause. If the cause is sampled, the span is too. */
  readonly cause?: string | null | undefined
}

/** The traces of one thread. */
export interface Tracing {
  root(name: string, options: RootOptions): Span
  /** Sends the spans that wait, for three seconds at most. */
  close(): Promise<void>
}

const EXPORT_TIMEOUT_MS = 3_000
/** At most 5 s of a thousand requests a second wait; more are dropped. */
const MOST_WAITING = 16_384

/** Loads the SDK of OpenTelemetry, which the process does not contain otherwise. */
export async function openTracing(settings: TracingSettings, logger: Pick<Logger, 'warn'>): Promise<Tracing> {
  const [api, core, sdk, exporting, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new exporting.OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.instance.id': crypto.randomUUID(),
    }),
    sampler: withCauses(samplerOf(settings, sdk), api, sdk),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: reportingFailures(exporter, logger),
        maxQueueSize: MOST_WAITING,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('batua')
  const start = startingSpans(tracer, api)
  const contextOf = (header: string | null | undefined) =>
    header === null || header === undefined ? null : core.parseTraceParent(header)
  return {
    root(name, { kind, parent, cause }) {
      const [remote, linked] = [contextOf(parent), contextOf(cause)]
      const context =
        remote === null
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, isRemote: true })
      return start(name, kind, context, linked === null ? [] : [{ context: linked }])
    },
    close: () => provider.shutdown().catch(() => undefined),
  }
}

type Api = typeof otel
type Sdk = typeof tracingSdk

function startingSpans(tracer: otel.Tracer, api: Api) {
  const kinds: Readonly<Record<Kind, otel.SpanKind>> = {
    internal: api.SpanKind.INTERNAL,
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
  }
  const contexts = new WeakMap<Span, otel.Link>()

  return function start(name: string, kind: Kind, parent: otel.Context, links: otel.Link[]): Span {
    const span = tracer.startSpan(name, { kind: kinds[kind], links }, parent)
    const { traceId, spanId, traceFlags } = span.spanContext()
    const isSampled = span.isRecording()
    const started: Span = {
      isSampled,
      traceId,
      traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
      child: (childName, childKind = 'internal') =>
        isSampled ? start(childName, childKind, api.trace.setSpan(api.ROOT_CONTEXT, span), []) : started,
      linkTo(other) {
        const link = contexts.get(other)
        if (link !== undefined) span.addLink(link)
      },
      end(attributes, hasFailed = false) {
        if (attributes !== undefined) span.setAttributes({ ...attributes })
        if (hasFailed) span.setStatus({ code: api.SpanStatusCode.ERROR })
        span.end()
      },
    }
    if (isSampled) contexts.set(started, { context: span.spanContext() })
    return started
  }
}

/** Since its version 3 the SDK does not make a sampler of the variables. */
function samplerOf({ sampler, argument }: TracingSettings, sdk: Sdk): tracingSdk.Sampler {
  if (sampler === 'per_second') return perSecond(argument, sdk)
  const [, isParentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const root =
    name === 'traceidratio'
      ? new sdk.TraceIdRatioBasedSampler(argument)
      : name === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.AlwaysOnSampler()
  return isParentBased === undefined ? root : new sdk.ParentBasedSampler({ root })
}

/** Begins so many traces a second and no more, whatever callers wish. Spans below a recorded one are recorded with it. */
function perSecond(most: number, sdk: Sdk): tracingSdk.Sampler {
  let [left, seenMs] = [most, performance.now()]
  const root: tracingSdk.Sampler = {
    shouldSample() {
      const nowMs = performance.now()
      left = Math.min(most, left + ((nowMs - seenMs) / 1_000) * most)
      seenMs = nowMs
      if (left < 1) return { decision: sdk.SamplingDecision.NOT_RECORD }
      left -= 1
      return { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED }
    },
    toString: () => `per_second(${most})`,
  }
  return new sdk.ParentBasedSampler({ root, remoteParentSampled: root, remoteParentNotSampled: root })
}

/** A span with a sampled cause is sampled, so that a payment that is traced leads to its deliveries. */
function withCauses(sampler: tracingSdk.Sampler, api: Api, sdk: Sdk): tracingSdk.Sampler {
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const isCaused = links.some(link => (link.context.traceFlags & api.TraceFlags.SAMPLED) !== 0)
      return isCaused
        ? { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED }
        : sampler.shouldSample(context, traceId, name, kind, attributes, links)
    },
    toString: () => sampler.toString(),
  }
}

type Exporter = ConstructorParameters<Sdk['BatchSpanProcessor']>[0]['exporter']

/** Logs the first of several failures in a row. */
function reportingFailures(exporter: Exporter, logger: Pick<Logger, 'warn'>): Exporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        const hasFailed = result.error !== undefined
        if (hasFailed && !isFailing)
          logger.warn({ err: result.error }, 'spans were not accepted at OTEL_EXPORTER_OTLP_ENDPOINT')
        isFailing = hasFailed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
