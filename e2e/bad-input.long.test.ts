import { type OperationId, type Route, routes } from '@batua/contract'
import pMap from 'p-map'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, errorOf, pathOf, type Reply, request, type Sent } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { invalidValues, jsonText, NOT_AN_OBJECT, raw, type Schema } from './src/invalid-values.ts'
import { kindFor, ownHeaders } from './src/route-table.ts'
import type { Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

const AT_ONCE = { concurrency: 8 }
const BODY_LIMIT_BYTES = 64 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }

const table = Object.entries(routes) as [OperationId, Route][]
// A gateway webhook is accepted by its signature over the raw bytes, before anything is parsed.
const withBody = table.filter(([operation, route]) => route.body && operation !== 'receiveGatewayWebhook')
const withQuery = table.filter(([, route]) => route.query)

let stage: Stage
let database: ServiceDatabase
let service: Service
let api: Api
let world: World
let before: Record<string, string>
/** The length of what the service had logged before. */
let logged: number

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, service, api } = stage)
  logged = service.output().length
  world = await openWorld(api)
  before = await database.fingerprint()
})
afterAll(() => stage.close())

/** A call that would succeed, credential included. */
function validCall(operation: OperationId, route: Route): Sent {
  const kind = kindFor(route, 'agent')
  const headers = kind === null ? {} : ownHeaders(world, operation, kind)
  return { ...VALID_CALLS[operation](world), headers }
}

interface Attempt {
  readonly name: string
  readonly send: () => Promise<Reply>
  /** The field that the error must name; null if there is none. */
  readonly field: string | null
  readonly status?: number
}

/** Makes every attempt; returns a description of each that was not refused correctly. */
async function faultsOf(attempts: readonly Attempt[]): Promise<string[]> {
  const faults = await pMap(
    attempts,
    async attempt => {
      const reply = await attempt.send()
      const fault = faultOf(attempt, reply)
      return fault === null ? null : `${attempt.name}: ${fault} (${reply.status} ${reply.text.slice(0, 300)})`
    },
    AT_ONCE,
  )
  return faults.filter(fault => fault !== null)
}

const CODES: Readonly<Record<number, string>> = {
  400: 'validation_error',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

function faultOf({ field, status = 400 }: Attempt, reply: Reply): string | null {
  if (reply.status !== status) return `expected ${status}`
  const error = errorOf(reply)
  if (error.code !== CODES[status]) return `expected ${CODES[status] ?? ''}`
  if (field !== null && error.field?.split('.')[0] !== field) return `expected the field ${field}`
  return null
}

describe('an invalid body', () => {
  test.each(withBody)(
    'of %s is refused with the name of the field, and nothing changes',
    async (operation, route) => {
      const { properties = {}, required = [] } = route.body as Schema
      const call = validCall(operation, route)
      const body = call.body as Record<string, unknown>
      const sendText = (text: string) => () =>
        api.send(route, { ...call, body: text, headers: { ...call.headers, ...JSON_TYPE } })
      const invalid = Object.entries(properties).flatMap(([field, schema]) =>
        Object.entries(invalidValues(schema)).map(([wrong, value]) => ({
          name: `${field} is ${wrong}`,
          field: isJson(value) ? field : null,
          send: sendText(jsonText({ ...body, [field]: value })),
        })),
      )
      const missing = required.map(field => ({
        name: `without ${field}`,
        field,
        send: sendText(jsonText(Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)))),
      }))
      const strange = STRANGE_FIELDS.map(field => ({
        name: `with ${field}`,
        // An error cannot name a field without a name.
        field: field || null,
        send: sendText(jsonText(body).replace(/^\{/, `{${JSON.stringify(field)}:{"a":1}${comma(body)}`)),
      }))
      const twice = Object.keys(body).map(field => ({
        name: `${field} twice`,
        field: null,
        send: sendText(jsonText(body).replace(/^\{/, `{${JSON.stringify(field)}:${jsonText(body[field])},`)),
      }))
      expect(await faultsOf([...invalid, ...missing, ...strange, ...twice])).toEqual([])
    },
  )

  test.each(withBody)('of %s that is not a JSON object is refused', async (operation, route) => {
    const call = validCall(operation, route)
    const { required = [] } = route.body as Schema
    // If no field is required, an empty body is as good as {}.
    const nothing = route.method === 'POST' && required.length === 0 ? {} : { nothing: '' }
    const attempts = Object.entries({ ...NOT_AN_OBJECT, ...nothing }).map(([name, body]) => ({
      name,
      field: null,
      send: () => api.send(route, { ...call, body, headers: { ...call.headers, ...JSON_TYPE } }),
    }))
    expect(await faultsOf(attempts)).toEqual([])
  })

  test.each(withBody)('of %s with another content type than JSON is refused', async (operation, route) => {
    const call = validCall(operation, route)
    const body = jsonText(call.body)
    const attempts = WRONG_TYPES.map(headers => ({
      name: JSON.stringify(headers),
      field: null,
      status: 415,
      send: () => api.send(route, { ...call, body, headers: { ...call.headers, ...headers } }),
    }))
    expect(await faultsOf(attempts)).toEqual([])
  })

  test.each(withBody)('of %s above 64 KiB is refused', async (operation, route) => {
    const call = validCall(operation, route)
    const text = jsonText(call.body)
    const padded = (bytes: number) => text + ' '.repeat(bytes - Buffer.byteLength(text))
    const sizes = [BODY_LIMIT_BYTES + 1, BODY_LIMIT_BYTES + 1024, 1_000_000]
    const attempts = sizes.map(bytes => ({
      name: `${bytes} bytes`,
      field: null,
      status: 413,
      send: () =>
        api.send(route, { ...call, body: padded(bytes), headers: { ...call.headers, ...JSON_TYPE } }),
    }))
    expect(await faultsOf(attempts)).toEqual([])
  })

  test.each(table.filter(([, route]) => !route.body && route.method !== 'GET'))(
    'of %s, which has none, is refused',
    async (operation, route) => {
      const call = validCall(operation, route)
      const send = (body: string) => () =>
        api.send(route, { ...call, body, headers: { ...call.headers, ...JSON_TYPE } })
      const attempts = [
        { name: 'a field', field: 'force', send: send('{"force":true}') },
        { name: '__proto__', field: '__proto__', send: send('{"__proto__":{}}') },
        { name: 'an array', field: null, send: send('[]') },
        { name: 'broken JSON', field: null, send: send('{') },
      ]
      expect(await faultsOf(attempts)).toEqual([])
    },
  )
})

const STRANGE_FIELDS = [
  'extra',
  '__proto__',
  'constructor',
  'toString',
  'prototype',
  '',
  'Amount',
  'agent_id ',
]

function comma(body: object): string {
  return Object.keys(body).length > 0 ? ',' : ''
}

/** Whether an invalid value is JSON: if not, the body is refused before its fields are validated. */
function isJson(value: unknown): boolean {
  try {
    JSON.parse(jsonText(value))
    return true
  } catch {
    return false
  }
}

const WRONG_TYPES: readonly Record<string, string>[] = [
  {},
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/jsonp' },
  { 'content-type': 'application/vnd.api+json' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'text/json' },
  { 'content-type': 'json' },
  { 'content-type': '*/*' },
  { ...JSON_TYPE, 'content-encoding': 'gzip' },
  { ...JSON_TYPE, 'content-encoding': 'br' },
]

describe('an invalid query', () => {
  test.each(withQuery)('of %s is refused with the name of the field', async (operation, route) => {
    const { properties = {}, required = [] } = route.query as Schema
    const call = validCall(operation, route)
    const at = pathOf(route, { ...call, query: {} })
    const needed = Object.entries(call.query ?? {}).filter(([field]) => required.includes(field))
    const get = (field: string, search: string) => () => {
      const others = needed.filter(([name]) => name !== field).map(([name, value]) => `${name}=${value}`)
      const address = `${at}?${[...others, search].join('&')}`
      return request(api.address, route.method, address, call.headers ? { headers: call.headers } : {})
    }
    const invalid = Object.entries(properties).flatMap(([field, schema]) =>
      misfittingTexts(schema).map(text => ({
        name: `${field}=${text.slice(0, 40)}`,
        field: isEncoded(text) ? field : null,
        send: get(field, `${field}=${text}`),
      })),
    )
    const twice = Object.entries(properties).map(([field, schema]) => {
      const value = exampleOf(schema)
      return { name: `${field} twice`, field, send: get(field, `${field}=${value}&${field}=${value}`) }
    })
    const strange = ['extra', '__proto__', 'constructor', 'limit%5B%5D', 'LIMIT', 'limit%00'].map(field => ({
      name: `with ${field}`,
      field: decodeURIComponent(field),
      send: get(field, `${field}=1`),
    }))
    expect(await faultsOf([...invalid, ...twice, ...strange])).toEqual([])
  })

  test.each(table.filter(([, route]) => !route.query))(
    'of %s, which has none, is refused',
    async (operation, route) => {
      const call = validCall(operation, route)
      const send = () => api.send(route, { ...call, query: { extra: 1 } })
      expect(await faultsOf([{ name: 'extra', field: 'extra', send }])).toEqual([])
    },
  )
})

/** Encoded texts that no schema of this kind accepts. */
function misfittingTexts(schema: Schema): string[] {
  const unreadable = ['%00', 'a%0ab', '%ed%a0%80', '%ff', '%c0%af', 'a%7f']
  switch ([schema.type].flat()[0]) {
    case 'integer':
      return [
        ...unreadable,
        'abc',
        '1.5',
        '-1',
        '1e9',
        '0x10',
        '%201',
        '1%20',
        '99999999999999999999',
        '',
        '१',
        'null',
      ]
    case 'number':
      return [
        ...unreadable,
        'abc',
        '-1',
        '-0',
        '1e400',
        'NaN',
        'Infinity',
        '0.001',
        '',
        '0x10',
        '1,5',
        '1%20',
        'null',
      ]
    case 'boolean':
      return [...unreadable, 'yes', '1', 'TRUE', 'null', '']
    default:
      return [
        ...unreadable,
        'a'.repeat(600),
        ...(schema.enum || schema.pattern ? ["'%20or%201=1--", 'ALL', 'е'] : []),
      ]
  }
}

/** Whether an encoded text can be decoded: if not, the whole query is refused. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function exampleOf(schema: Schema & { readonly examples?: readonly unknown[] }): string {
  const example = schema.examples?.[0] ?? schema.enum?.[0]
  return encodeURIComponent(typeof example === 'string' ? example : '1')
}

describe('an invalid path', () => {
  const addressed = table.filter(([, route]) => route.params)

  test.each(addressed)('of %s is refused in any encoding', async (operation, route) => {
    const call = validCall(operation, route)
    const names = Object.keys(route.params?.properties ?? {})
    for (const name of names) {
      for (const text of HOSTILE_SEGMENTS) {
        const path = pathOf(route, { ...call, params: { ...call.params, [name]: '~here~' } }).replace(
          '~here~',
          text,
        )
        const reply = await request(api.address, route.method, path, call)
        if (reply.status === 200 && RESPONDS_WHATEVER.includes(operation)) continue
        const response = `${operation} ${text.slice(0, 40)}: ${reply.status} ${reply.text.slice(0, 200)}`
        expect([400, 404], response).toContain(reply.status)
        expect(['validation_error', 'not_found'], response).toContain(errorOf(reply).code)
      }
    }
  })

  test('with invalid percent-encoding or of excessive length is a validation error', async () => {
    const paths = [
      '/v1/agents/%',
      '/v1/agents/%zz',
      '/v1/agents/%e0%a4%a',
      '/%c0',
      `/v1/agents/${'a'.repeat(15_000)}`,
    ]
    for (const path of [...paths, `/v1/agents?handle=${'a'.repeat(15_000)}`, `/${'a/'.repeat(7_000)}`]) {
      const error = errorOf(await request(api.address, 'GET', path, { headers: world.platform.headers }))
      expect(['validation_error', 'not_found'], path.slice(0, 30)).toContain(error.code)
    }
    for (const path of paths.slice(0, 4)) {
      const reply = await request(api.address, 'GET', path, { headers: world.platform.headers })
      expect([reply.status, errorOf(reply).code], path).toEqual([400, 'validation_error'])
    }
  })
})

/** These return 200 for any name. */
const RESPONDS_WHATEVER: readonly OperationId[] = [
  'getHandleAvailability',
  'getAgentExistence',
  'verifyTransaction',
  'restoreNonce',
  'verifyReceipt',
  'verifyCertificate',
]

const HOSTILE_SEGMENTS = [
  "'%20or%201=1--",
  '%27%3B%20drop%20table%20agents%3B--',
  '%00',
  'agt_01kb7q3f8meg5tz4x9wc2n6a01%00',
  '%0d%0aset-cookie:%20a=b',
  '..%2f..%2fadmin',
  '__proto__',
  'constructor',
  'agt_01KB7Q3F8MEG5TZ4X9WC2N6A01',
  'agt_uuuuuuuuuuuuuuuuuuuuuuuuuu',
  'аgt_01kb7q3f8meg5tz4x9wc2n6a01',
  '%F0%9F%92%B8',
  'a'.repeat(200),
  'a'.repeat(300),
  '%ED%A0%80',
  '*',
  '1e400',
  'null',
  '-1',
]

describe('an invalid Idempotency-Key header', () => {
  test('is refused, and nothing changes', async () => {
    const keys = ['', ' ', 'a'.repeat(256), 'ключ'.normalize(), 'a\tb']
    const call = validCall('createOwner', routes.createOwner)
    for (const key of keys) {
      const headers = { ...call.headers, 'idempotency-key': encodeHeader(key) }
      const error = await api.refused(routes.createOwner, 400, 'validation_error', { ...call, headers })
      expect(error.field).toBe('Idempotency-Key')
    }
  })
})

/** Header values are bytes; a client that writes UTF-8 sends these. */
function encodeHeader(text: string): string {
  return Buffer.from(text).toString('latin1')
}

describe('after all invalid requests', () => {
  test('not a row of the database has changed', async () => {
    const { idempotent_requests: _kept, ...now } = await database.fingerprint()
    const { idempotent_requests: _empty, ...then } = before
    expect(now).toEqual(then)
  })

  test('a body of exactly 64 KiB is accepted', async () => {
    const call = validCall('pay', routes.pay)
    const text = jsonText(call.body)
    const body = text + ' '.repeat(BODY_LIMIT_BYTES - text.length)
    await api.ok(routes.pay, { ...call, body: body as never, headers: { ...call.headers, ...JSON_TYPE } })
  })

  test('an unusual but valid request is accepted', async () => {
    const call = validCall('pay', routes.pay)
    const types = [
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF-8"',
      'application/json ;charset=UTF-8',
    ]
    for (const type of types) {
      const body = jsonText({ to: world.payee.id, amount: raw('1.00'), note: 'naïve 💸\n\tline' })
      await api.ok(routes.pay, {
        ...call,
        body: body as never,
        headers: { ...call.headers, 'content-type': type },
      })
    }
    const exact = jsonText({ to: world.payee.id, amount: raw('10e-1') })
    await api.ok(routes.pay, { ...call, body: exact as never, headers: { ...call.headers, ...JSON_TYPE } })
  })

  test('the log has no error of the service and nothing confidential', async () => {
    await service.stop()
    await service.start()
    const output = service.output().slice(logged)
    expect(output.split('\n').filter(line => /"level":"(error|fatal)"/.test(line))).toEqual([])
    expect(world.network.confidential.filter(text => output.includes(text))).toEqual([])
  })
})
