import { createHash } from 'node:crypto'
import { route } from '@batua/contract'
import { Type } from 'typebox'
import { afterAll, beforeEach, expect, vi } from 'vitest'
import { AppError } from '../../kernel/app-error.ts'
import { systemClock } from '../../kernel/clock.ts'
import { database, test } from '../../testing/database-test.ts'
import { TEST_VAULT } from '../../testing/network.ts'
import {
  AS_AGENT,
  AS_PLATFORM,
  call,
  type Reply,
  startTestServer,
  TEST_AGENT,
  type TestServer,
} from '../../testing/test-server.ts'
import { forgetIdempotencyKeys } from './idempotency-key.ts'
import { rewriteClearUses } from './rewrite-clear-uses.ts'

const create = route({
  operationId: 'create',
  method: 'POST',
  path: '/v1/things',
  tag: 'Test',
  summary: 'Creates a thing',
  who: ['agent', 'platform'],
  body: Type.Object({ name: Type.String() }),
  status: 201,
  response: Type.Object({
    id: Type.Integer(),
    name: Type.String(),
    agent_key: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
  errors: [],
})
const open = route({ ...create, operationId: 'open', path: '/v1/open', who: [] })

const clock = systemClock()
const nodes: TestServer[] = []
let made = 0
let behave: () => Promise<void> | void = () => {}

async function startNode(): Promise<void> {
  const make = async ({ body }: { body: { name: string } }) => {
    await behave()
    made++
    return { id: made, name: body.name, agent_key: 'agk_live_once' }
  }
  const server = await startTestServer(
    ({ serve }) => {
      serve(create, make)
      serve(open, make)
    },
    { database, clock },
  )
  nodes.push(server)
}

test.beforeAll(async () => {
  await startNode()
  await startNode()
})
beforeEach(() => {
  made = 0
  behave = () => {}
})
afterAll(async () => {
  await Promise.all(nodes.map(node => node.close()))
})

let lastKey = 0
const newKey = () => `key-${++lastKey}`

interface Sending {
  readonly node?: number
  readonly name?: string
  readonly as?: Record<string, string>
  readonly path?: string
}

function send(
  key: string,
  { node = 0, name = 'lamp', as = AS_AGENT, path = '/v1/things' }: Sending = {},
): Promise<Reply> {
  const server = nodes[node]
  if (server === undefined) throw new Error('no such node')
  return call(server, 'POST', path, { body: { name }, headers: { ...as, 'idempotency-key': key } })
}

test('a repeated request gets the first response with Idempotent-Replayed, and does nothing', async () => {
  const key = newKey()
  const first = await send(key)
  const second = await send(key, { node: 1 })
  expect(first).toMatchObject({ status: 201, body: { id: 1, agent_key: 'agk_live_once' } })
  expect(second.status).toBe(201)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(made).toBe(1)
})

test('a replayed response has null in place of a secret', async () => {
  const key = newKey()
  await send(key)
  expect((await send(key)).body).toEqual({ id: 1, name: 'lamp', agent_key: null })
  const rows = await database.query('select response from idempotent_requests where key = $1', [key])
  expect(JSON.stringify(rows)).not.toContain('agk_live_once')
})

test('a request with another body and the same key is refused', async () => {
  const key = newKey()
  await send(key)
  expect(await send(key, { name: 'chair' })).toMatchObject({
    status: 422,
    body: { error: { code: 'idempotency_error' } },
  })
  expect(await send(key, { path: '/v1/open' })).toMatchObject({ status: 422 })
  expect(made).toBe(1)
})

test('callers do not share keys', async () => {
  const key = newKey()
  await send(key)
  expect(await send(key, { as: AS_PLATFORM })).toMatchObject({ status: 201, body: { id: 2 } })
  expect(await send(key, { path: '/v1/open', as: {} })).toMatchObject({ status: 201, body: { id: 3 } })
})

test('of many requests at once on two nodes exactly one takes effect', async () => {
  for (let round = 0; round < 10; round++) {
    made = 0
    const key = newKey()
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => send(key, { node: index % 2 })),
    )
    expect(made).toBe(1)
    for (const { status, headers } of replies) {
      expect([201, 409]).toContain(status)
      if (status === 409) expect(headers.get('retry-after')).toBe('1')
    }
  }
})

test('a repetition is refused with Retry-After while the first request runs', async () => {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  behave = () => {
    arrived.resolve()
    return released.promise
  }
  const key = newKey()
  const first = send(key)
  await arrived.promise
  expect(await send(key, { node: 1 })).toMatchObject({
    status: 409,
    body: { error: { code: 'idempotency_error' } },
  })
  released.resolve()
  expect(await first).toMatchObject({ status: 201 })
  expect(await send(key, { node: 1 })).toMatchObject({ status: 201, body: { id: 1 } })
})

test('a long request keeps its lease', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  behave = () => {
    arrived.resolve()
    return released.promise
  }
  const key = newKey()
  const first = send(key)
  await arrived.promise
  const before = await lockedUntil(key)
  clock.setOffsetMs(clock.offsetMs() + 15_000)
  vi.advanceTimersByTime(10_000)
  await expect.poll(() => lockedUntil(key)).toBeGreaterThan(before)
  vi.useRealTimers()
  released.resolve()
  expect(await first).toMatchObject({ status: 201 })
})

async function lockedUntil(key: string): Promise<number> {
  const [row] = await database.query<{ locked_until: Date }>(
    'select locked_until from idempotent_requests where key = $1',
    [key],
  )
  return row?.locked_until.getTime() ?? 0
}

test('a refused request releases its key', async () => {
  const key = newKey()
  behave = () => {
    throw new AppError('conflict', 'Taken')
  }
  expect(await send(key)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  behave = () => {}
  expect(await send(key)).toMatchObject({ status: 201 })
})

test('an invalid request does not claim its key', async () => {
  const key = newKey()
  const bad = await call(nodes[0] as TestServer, 'POST', '/v1/things', {
    body: { nome: 'x' },
    headers: { ...AS_AGENT, 'idempotency-key': key },
  })
  expect(bad.status).toBe(400)
  expect(await send(key)).toMatchObject({ status: 201 })
})

test('the key of a process that died is free when its lease ends, for the same request only', async () => {
  const key = newKey()
  await send(key)
  // As a crash leaves it: claimed, never answered, its lease not renewed.
  await database.query(
    'update idempotent_requests set status = null, response = null, locked_until = $2 where key = $1',
    [key, new Date(clock.now().getTime() + 60_000)],
  )
  expect(await send(key)).toMatchObject({ status: 409 })
  await database.query('update idempotent_requests set locked_until = $2 where key = $1', [key, clock.now()])
  expect(await send(key, { name: 'chair' })).toMatchObject({ status: 422 })
  expect(await send(key)).toMatchObject({ status: 201, body: { id: 2 } })
})

test('a key is forgotten after a day', async () => {
  const key = newKey()
  await send(key)
  clock.setOffsetMs(clock.offsetMs() + 24 * 3_600_000)
  expect(await send(key, { name: 'chair' })).toMatchObject({ status: 201, body: { id: 2 } })
  clock.setOffsetMs(clock.offsetMs() + 24 * 3_600_000)
  const forgotten = await forgetIdempotencyKeys(database, clock.now(), 3)
  expect(forgotten).toBe(3)
  await forgetIdempotencyKeys(database, clock.now(), 1000)
  expect(await database.query('select key from idempotent_requests', [])).toEqual([])
})

const kept = async (key: string) => {
  const [row] = await database.query<{ row: string }>(
    'select t::text as row from idempotent_requests t where key = $1',
    [key],
  )
  return row?.row ?? ''
}

test('neither the response, nor the address of an anonymous caller, nor a digest of the request can be read in the table', async () => {
  const key = newKey()
  await send(key, { path: '/v1/open', as: {}, name: 'ABCPK1234Q' })
  const digest = createHash('sha256').update('POST /v1/open\n{"name":"ABCPK1234Q"}').digest('hex')
  const hex = Buffer.from('ABCPK1234Q').toString('hex')
  for (const text of ['ABCPK1234Q', hex, '127.0.0.1', digest]) expect(await kept(key)).not.toContain(text)
  expect((await send(key, { path: '/v1/open', as: {}, name: 'ABCPK1234Q' })).body).toMatchObject({
    name: 'ABCPK1234Q',
  })
})

test('a response that was moved to another row is not returned', async () => {
  const [key, other] = [newKey(), newKey()]
  await send(key, { name: 'one' })
  await send(other, { name: 'one' })
  await database.query(
    `update idempotent_requests set response = (select response from idempotent_requests where key = $1)
     where key = $2`,
    [key, other],
  )
  expect(await send(other, { name: 'one' })).toMatchObject({ status: 500 })
})

test('a response that an earlier release stored in the clear is encrypted at the start and still returned', async () => {
  const requests = [
    { key: newKey(), as: AS_AGENT, path: '/v1/things', credential: `agent:${TEST_AGENT.agentId}` },
    { key: newKey(), as: {}, path: '/v1/open', credential: 'public:127.0.0.1' },
  ]
  for (const { key, path, credential } of requests) {
    const fingerprint = createHash('sha256').update(`POST ${path}\n{"name":"lamp"}`).digest()
    await database.query(
      `insert into idempotent_requests
         (credential, key, fingerprint, status, clear_response, is_keyed, locked_until, created_at)
       values ($1, $2, $3, 201, '{"id":77,"name":"ABCPK1234Q","agent_key":null}', false, $4, $4)`,
      [credential, key, fingerprint, clock.now()],
    )
  }
  await Promise.all([1, 2].map(() => rewriteClearUses(database, TEST_VAULT)))
  for (const { key, as, path } of requests) {
    for (const text of ['ABCPK1234Q', '127.0.0.1']) expect(await kept(key)).not.toContain(text)
    expect(await send(key, { as, path })).toMatchObject({ status: 201, body: { id: 77 } })
    expect(await send(key, { as, path, name: 'chair' })).toMatchObject({ status: 422 })
  }
  expect(made).toBe(0)
})

test.each(['', ' ', 'ключ', 'x'.repeat(256)])('a key must be short printable text (%s)', async key => {
  const headers = new Headers(AS_AGENT)
  headers.set('idempotency-key', encodeLatin1(key))
  const response = await fetch(`${nodes[0]?.url}/v1/things`, {
    method: 'POST',
    headers: [...headers, ['content-type', 'application/json']],
    body: '{"name":"x"}',
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { field: 'Idempotency-Key' } })
})

/** A header is bytes; UTF-8 arrives as what Latin-1 makes of it. */
function encodeLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
