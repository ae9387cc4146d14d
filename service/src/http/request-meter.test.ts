import { type ErrorCode, type ResponseOf, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AppError } from '../kernel/app-error.ts'
import { AS_AGENT, startTestServer, TEST_AGENT, type TestServer } from '../testing/test-server.ts'
import type { RequestMeter } from './request-meter.ts'

const counted: string[] = []
const meter: RequestMeter = {
  operations: ['pay'],
  accepted: ms => counted.push(ms >= 0 ? 'accepted' : 'before it began'),
  refused: code => counted.push(code),
}
let server: TestServer
let refusal: ErrorCode | 'broken' | null = null

beforeAll(async () => {
  server = await startTestServer(
    ({ serve }) => {
      serve(routes.pay, async () => {
        if (refusal === 'broken') throw new Error('not an error for callers')
        if (refusal !== null) throw new AppError(refusal, 'refused by the test')
        return exampleOf(routes.pay)
      })
      serve(routes.getCurrentAgent, () => exampleOf(routes.getCurrentAgent))
    },
    { meter },
  )
})
afterAll(() => server.close())
beforeEach(() => {
  counted.length = 0
  refusal = null
})

/** The first example of a route's response. */
function exampleOf<R extends Route>({ response }: R): ResponseOf<R> {
  const { examples = [] }: { examples?: readonly unknown[] } = { ...response }
  return examples[0] as ResponseOf<R>
}

const pay = async (headers: Record<string, string>, body: unknown = { to: 'seller', amount: 1 }) => {
  const response = await fetch(`${server.url}/v1/agents/${TEST_AGENT.agentId}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.text()
  return response.status
}

test('every request of a counted route is counted once: accepted, or refused with the code of its response', async () => {
  expect(await pay(AS_AGENT)).toBe(200)
  await pay({ 'x-agent-key': 'wrong' })
  await pay(AS_AGENT, { to: 'seller' })
  refusal = 'spend_limit_exceeded'
  await pay(AS_AGENT)
  refusal = 'broken'
  await pay(AS_AGENT)
  await expect
    .poll(() => counted)
    .toEqual([
      'accepted',
      'authentication_error',
      'validation_error',
      'spend_limit_exceeded',
      'internal_error',
    ])
})

test('requests of other routes are not counted', async () => {
  const me = await fetch(`${server.url}/v1/agents/me`, { headers: AS_AGENT })
  expect([me.status, await me.text()]).toEqual([200, expect.stringContaining('agt_')])
  expect(await pay(AS_AGENT)).toBe(200)
  await expect.poll(() => counted).toEqual(['accepted'])
})
