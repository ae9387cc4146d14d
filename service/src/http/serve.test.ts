import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../kernel/app-error.ts'
import { AS_AGENT, call, startTestServer, type TestServer } from '../testing/test-server.ts'
import type { Serve } from './serve.ts'

const common = { tag: 'Test', summary: 'A route of this test', errors: [] } as const

const order = route({
  ...common,
  operationId: 'order',
  method: 'POST',
  path: '/v1/orders/{shop}',
  who: ['agent'],
  params: Type.Object({ shop: Type.String() }),
  query: Type.Object({ times: Type.Optional(Type.Integer({ minimum: 1, default: 1 })) }),
  body: Type.Object({
    amount: Type.Number({ format: 'inr', exclusiveMinimum: 0, maximum: 10_000_000_000 }),
    hours: Type.Optional(Type.Number()),
    method: Type.Optional(Type.Enum(['upi', 'card'])),
    note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 5 })),
    items: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
    labels: Type.Optional(Type.Unknown()),
  }),
  status: 201,
  response: Type.Object({ shop: Type.String(), times: Type.Integer(), amount: Type.Number() }),
})

const ping = route({
  ...common,
  operationId: 'ping',
  method: 'POST',
  path: '/v1/ping',
  who: [],
  status: 200,
  response: Type.Object({ pong: Type.Boolean() }),
})

const refund = route({
  ...common,
  operationId: 'refund',
  method: 'POST',
  path: '/v1/refund',
  who: [],
  body: Type.Object({ amount: Type.Optional(Type.Number()), key: Type.Optional(Type.String()) }),
  status: 200,
  response: Type.Object({ fields: Type.Integer() }),
})

const change = route({ ...refund, operationId: 'change', method: 'PATCH', path: '/v1/change' })

const sums = route({
  ...ping,
  operationId: 'sums',
  method: 'GET',
  path: '/v1/sums',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ maximum: 100 })),
    sum: Type.Optional(Type.Number({ maximum: 100 })),
  }),
})

const broken = route({ ...ping, operationId: 'broken', path: '/v1/broken' })
const refused = route({ ...ping, operationId: 'refused', path: '/v1/refused' })
const leaking = route({ ...ping, operationId: 'leaking', path: '/v1/leaking' })

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(({ serve }) => {
    serve(order, ({ params, query, body }) => ({
      shop: params.shop,
      times: query.times ?? 0,
      amount: body.amount,
    }))
    serve(ping, (_call, response) => {
      response.header('cache-control', 'public, max-age=60')
      return { pong: true }
    })
    serve(refund, ({ body }) => ({ fields: Object.keys(body).length }))
    serve(change, ({ body }) => ({ fields: Object.keys(body).length }))
    serve(sums, () => ({ pong: true }))
    serve(broken, () => {
      throw new Error('select secret from places')
    })
    serve(refused, () => {
      throw new AppError('conflict', 'Taken', { details: { owner_id: 'own_1' }, field: 'handle' })
    })
    serve(leaking, () => Object.assign({ pong: true }, { password: 'x' }))
  })
})

afterAll(() => server.close())

const send = (body: unknown, path = '/v1/orders/asha') =>
  call(server, 'POST', path, { body, headers: AS_AGENT })
const errorOf = async (body: unknown, path?: string) => {
  const { status, body: response } = await send(body, path)
  return { status, ...(response as { error: object }).error }
}

test('a handler gets checked values, and its response has the status of the route', async () => {
  const reply = await send({ amount: 10.5 }, '/v1/orders/asha?times=3')
  expect(reply).toMatchObject({ status: 201, body: { shop: 'asha', times: 3, amount: 10.5 } })
  expect(await send({ amount: 1 })).toMatchObject({ body: { times: 1 } })
})

test.each([
  ['a missing field', {}, 'amount', 'amount is required'],
  ['a number as text', { amount: '10' }, 'amount', 'amount must be a number, not a string'],
  ['three decimals', { amount: 10.001 }, 'amount', 'at most two decimals'],
  ['minus zero', '{"amount":-0}', 'amount', 'must be more than 0'],
  ['zero', { amount: 0 }, 'amount', 'amount must be more than 0'],
  ['too much', { amount: 10_000_000_000.01 }, 'amount', 'amount must be at most 10000000000'],
  ['more than a double holds', '{"amount":1e400}', 'amount', 'amount must be a number that is kept exactly'],
  ['digits that a double loses', '{"amount":10.0000000000000001}', 'amount', 'kept exactly'],
  [
    'an unknown field',
    { amount: 1, colour: 'red' },
    'colour',
    'colour is not a field of this request; remove it',
  ],
  [
    'an unknown field of an entry',
    { amount: 1, items: [{ name: 'a', size: 1 }] },
    'items.0.size',
    'is not a field',
  ],
  ['a prototype', '{"amount":1,"__proto__":{"amount":5}}', '__proto__', 'is not a field'],
  ['an inherited name', '{"amount":1,"constructor":1}', 'constructor', 'is not a field'],
  ['a value not offered', { amount: 1, method: 'cash' }, 'method', 'method must be one of upi, card'],
  ['a text too long', { amount: 1, note: 'longer' }, 'note', 'note must have at most 5 characters'],
  [
    'a wrong type where null may stand',
    { amount: 1, note: 5 },
    'note',
    'note must be a string or null, not a number',
  ],
])('%s is a validation error that names the field', async (_what, body, field, message) => {
  expect(await errorOf(body)).toMatchObject({
    status: 400,
    code: 'validation_error',
    field,
    message: expect.stringContaining(message),
  })
})

test('an error names all wrong fields of a body, each with its own message', async () => {
  const { status, field, message, details } = (await errorOf({
    hours: '1',
    method: 'cash',
    items: [{}],
    note: null,
    colour: 'red',
  })) as { status: number; field: string; message: string; details: { fields: { field: string }[] } }
  expect([status, field]).toEqual([400, 'amount'])
  expect(details.fields.map(each => each.field)).toEqual([
    'amount',
    'hours',
    'method',
    'items.0.name',
    'colour',
  ])
  expect(message).toMatch(
    /^amount is required; hours must be a number, not a string; method must be one of upi, card; /,
  )
})

test('an error for a body of many unknown fields lists a bounded number of them', async () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`x${index}`, 1]))
  const { details } = (await errorOf(many)) as unknown as { details: { fields: unknown[] } }
  expect(details.fields).toHaveLength(20)
})

test('a field name as long as a body is repeated no longer than a name can be', async () => {
  const { field, message } = (await errorOf({ amount: 1, ['x'.repeat(50_000)]: 1 })) as unknown as {
    field: string
    message: string
  }
  expect(field).toBe(`${'x'.repeat(200)}…`)
  expect(message.length).toBeLessThan(500)
})

test('an array instead of an object is refused as a whole', async () => {
  expect(await errorOf([1])).toMatchObject({
    status: 400,
    message: 'The body must be an object, not an array',
  })
})

test('a missing body and an empty object get different errors', async () => {
  const { status, body } = await call(server, 'POST', '/v1/orders/asha', { headers: AS_AGENT })
  expect(status).toBe(400)
  expect(body).toMatchObject({
    error: { message: 'This route needs a JSON body; send one as application/json' },
  })
})

test('a number that is no amount may have many decimals', async () => {
  expect(await send('{"amount":1.50,"hours":0.123456789012345678}')).toMatchObject({ status: 201 })
  expect(await send('{"amount":1.500}')).toMatchObject({ status: 201, body: { amount: 1.5 } })
})

test('a query is coerced, checked and closed', async () => {
  const path = '/v1/orders/asha'
  expect(await errorOf({ amount: 1 }, `${path}?times=two`)).toMatchObject({ status: 400, field: 'times' })
  expect(await errorOf({ amount: 1 }, `${path}?times=0`)).toMatchObject({ status: 400, field: 'times' })
  expect(await errorOf({ amount: 1 }, `${path}?tmies=2`)).toMatchObject({ status: 400, field: 'tmies' })
  expect(await errorOf({ amount: 1 }, `${path}?times=1&times=2`)).toMatchObject({
    status: 400,
    field: 'times',
  })
})

test('a route without a body takes none or an empty object and refuses a field', async () => {
  expect(await call(server, 'POST', '/v1/ping')).toMatchObject({ status: 200, body: { pong: true } })
  expect(await call(server, 'POST', '/v1/ping', { body: {} })).toMatchObject({ status: 200 })
  expect(await call(server, 'POST', '/v1/ping', { body: { a: 1 } })).toMatchObject({ status: 400 })
})

test('a handler may set headers of its response', async () => {
  const { headers } = await call(server, 'POST', '/v1/ping')
  expect(headers.get('cache-control')).toBe('public, max-age=60')
})

test('a refusal keeps its field and details', async () => {
  const { status, body, headers } = await call(server, 'POST', '/v1/refused')
  expect(status).toBe(409)
  expect(body).toEqual({
    error: {
      code: 'conflict',
      message: 'Taken',
      field: 'handle',
      details: { owner_id: 'own_1' },
      request_id: headers.get('x-request-id'),
    },
  })
})

test('an unexpected error is a 500 that shows nothing of its cause', async () => {
  const { status, body } = await call(server, 'POST', '/v1/broken')
  expect(status).toBe(500)
  expect(JSON.stringify(body)).not.toContain('select')
  expect(body).toMatchObject({ error: { code: 'internal_error' } })
})

test('a response with an unknown field throws under test', async () => {
  expect(await call(server, 'POST', '/v1/leaking')).toMatchObject({ status: 500 })
})

test('in production an unknown field of a response is dropped', async () => {
  const lenient = await startTestServer(
    ({ serve }) => serve(leaking, () => Object.assign({ pong: true }, { password: 'x' })),
    {
      verifyResponses: false,
    },
  )
  expect(await call(lenient, 'POST', '/v1/leaking')).toMatchObject({ status: 200, body: { pong: true } })
  expect((await call(lenient, 'POST', '/v1/leaking')).body).not.toHaveProperty('password')
  await lenient.close()
})

test('every response has its own request id and the security headers', async () => {
  const [first, second] = await Promise.all([
    call(server, 'POST', '/v1/ping'),
    call(server, 'POST', '/v1/ping'),
  ])
  const id = first.headers.get('x-request-id')
  expect(id).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  expect(id).not.toBe(second.headers.get('x-request-id'))
  expect(first.headers.get('x-content-type-options')).toBe('nosniff')
  expect(first.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('a request id that the client sends is ignored', async () => {
  const { headers } = await call(server, 'POST', '/v1/ping', { headers: { 'x-request-id': 'req_forged' } })
  expect(headers.get('x-request-id')).not.toBe('req_forged')
})

/** Never called: it has to compile, and each line marked so must not. */
export function handlersThatTheCompilerRefuses(serve: Serve): void {
  // @ts-expect-error The response lacks a field.
  serve(ping, () => ({}))
  // @ts-expect-error The response has a wrong type.
  serve(ping, () => ({ pong: 'yes' }))
  // @ts-expect-error The body has no such field.
  serve(order, ({ body }) => ({ shop: body.shop, times: 1, amount: 1 }))
  // @ts-expect-error Only agents come here.
  serve(order, ({ caller }) => ({ shop: caller.ownerIds, times: 1, amount: 1 }))
  serve(order, ({ caller }) => ({ shop: caller.agentId, times: 1, amount: 1 }))
}

test('a POST without required fields needs no body, and null is refused', async () => {
  expect(await call(server, 'POST', '/v1/refund')).toMatchObject({ status: 200, body: { fields: 0 } })
  expect(await call(server, 'POST', '/v1/refund', { body: { amount: 1 } })).toMatchObject({
    body: { fields: 1 },
  })
  expect((await call(server, 'POST', '/v1/refund', { body: 'null' })).status).toBe(400)
  expect((await call(server, 'PATCH', '/v1/change')).status).toBe(400)
})

test.each([
  ['limit=1.5', 'limit must be a whole number in plain digits, such as 20'],
  ['limit=ten', 'limit must be a whole number in plain digits, such as 20'],
  ['sum=50.001', 'sum must be a number in plain digits with at most two decimals, such as 20 or 20.50'],
])('?%s is refused with what to send', async (query, message) => {
  const refused = await call(server, 'GET', `/v1/sums?${query}`)
  expect(refused).toMatchObject({ status: 400, body: { error: { message } } })
})

test.each(['limit', 'sum'])(
  'so many digits of ?%s that they are read as infinite are refused',
  async name => {
    for (const sign of ['', '-']) {
      const refused = await call(server, 'GET', `/v1/sums?${name}=${sign}${'9'.repeat(400)}`)
      expect(refused).toMatchObject({ status: 400, body: { error: { field: name } } })
    }
  },
)
