import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }

function problemsOf(env: Env): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

test('nothing is traced without an endpoint, whatever else is set', () => {
  expect(readConfig({ OTEL_SERVICE_NAME: 'wallets', OTEL_TRACES_SAMPLER: 'always_on' }).tracing).toBeNull()
})

test('an endpoint is enough, and the standard variables say the rest', () => {
  expect(readConfig(ON).tracing).toEqual({
    endpoint: 'http://collector:4318',
    headers: {},
    serviceName: 'batua',
    sampler: 'per_second',
    argument: 50,
  })
  const all = {
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b==, authorization=Basic%20eA',
    OTEL_SERVICE_NAME: 'wallets',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(readConfig({ ...ON, ...all }).tracing).toEqual({
    endpoint: 'http://collector:4318',
    headers: { 'x-key': 'a b==', authorization: 'Basic eA' },
    serviceName: 'wallets',
    sampler: 'traceidratio',
    argument: 0.25,
  })
  expect(readConfig({ ...ON, OTEL_TRACES_SAMPLER: 'parentbased_always_on' }).tracing).toMatchObject({
    argument: 1,
  })
})

test('a wrong value is named, and its text is not shown', () => {
  const wrong = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://hidden',
    OTEL_EXPORTER_OTLP_HEADERS: 'hidden',
    OTEL_TRACES_SAMPLER: 'hidden',
    OTEL_TRACES_SAMPLER_ARG: '1.5',
  }
  const problems = problemsOf(wrong)
  expect(problems.map(line => line.split(':')[0])).toEqual(Object.keys(wrong))
  expect(problems.join()).not.toContain('hidden')
  expect(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'a=%E0%A4%A' })).toHaveLength(1)
})
