import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AS_AGENT, AS_PLATFORM, call, startTestServer, TEST_AGENT, type TestServer } from './test-server.ts'

const echo = route({
  operationId: 'echo',
  method: 'POST',
  path: '/v1/echo/{name}',
  tag: 'Test',
  summary: 'Echo',
  who: ['agent', 'platform'],
  params: Type.Object({ name: Type.String() }),
  query: Type.Object({ times: Type.Optional(Type.Integer({ minimum: 1, default: 1 })) }),
  body: Type.Object({
    amount: Type.Number({ format: 'inr', exclusiveMinimum: 0, maximum: 1e10 }),
    note: Type.Optional(Type.String()),
  }),
  status: 201,
  response: Type.Object({
    name: Type.String(),
    times: Type.Integer(),
    amount: Type.Number(),
    caller: Type.String(),
  }),
  errors: [],
})

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(({ serve }) => {
    serve(echo, ({ params, query, body, caller }) => ({
      name: params.name,
      times: query.times ?? 0,
      amount: body.amount,
      caller: caller.kind,
    }))
  })
})

afterAll(() => server.close())

test('a handler gets checked values and its answer carries the status of the route', async () => {
  const reply = await call(server, 'POST', '/v1/echo/asha?times=3', { body: { amount: 10.5 }, headers: AS_AGENT })
  expect(reply).toMatchObject({ status: 201, body: { name: 'asha', times: 3, amount: 10.5, caller: 'agent' } })
})
