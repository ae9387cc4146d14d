import { SAMPLERS, type TracingSettings } from '../kernel/tracing.ts'
import type { EnvReader } from './env-reader.ts'
import { anyText, integer, oneOf, url, type ValueKind } from './env-values.ts'

const share: ValueKind<number> = {
  expected: 'a number from 0 to 1',
  parse: text => (/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(text) ? Number(text) : undefined),
}

/** `name=value` pairs with percent-encoded values, as OpenTelemetry has them. */
const headers: ValueKind<Readonly<Record<string, string>>> = {
  expected: 'headers as name=value, separated by commas',
  parse: text => {
    const pairs = text.split(',').map(pair => /^\s*([\w-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(pair))
    if (pairs.includes(null)) return undefined
    try {
      return Object.fromEntries(
        pairs.map(pair => [(pair?.[1] ?? '').toLowerCase(), decodeURIComponent(pair?.[2] ?? '')]),
      )
    } catch {
      return undefined
    }
  },
}

/** Costs less than a percent of a processor. */
const TRACES_PER_SECOND = 50

/** The standard variables of OpenTelemetry; null: no endpoint is set, so nothing is traced. */
export function readTracing(reader: EnvReader): TracingSettings | null {
  const endpoint = reader.read<string | null>('OTEL_EXPORTER_OTLP_ENDPOINT', url('http:', 'https:'), null)
  const settings = {
    headers: reader.read('OTEL_EXPORTER_OTLP_HEADERS', headers, {}),
    serviceName: reader.read('OTEL_SERVICE_NAME', anyText, 'batua'),
    ...readSampler(reader),
  }
  return endpoint === null ? null : { endpoint, ...settings }
}

function readSampler(reader: EnvReader): Pick<TracingSettings, 'sampler' | 'argument'> {
  const sampler = reader.read('OTEL_TRACES_SAMPLER', oneOf(SAMPLERS), 'per_second')
  const argument =
    sampler === 'per_second'
      ? reader.read('OTEL_TRACES_SAMPLER_ARG', integer(1, 100_000), TRACES_PER_SECOND)
      : reader.read('OTEL_TRACES_SAMPLER_ARG', share, 1)
  return { sampler, argument }
}
