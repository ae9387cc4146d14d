import { exampleId, type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, errorOf, type Reply, type Sent } from './src/api.ts'
import { openTestDatabase, type ServiceDatabase } from './src/database.ts'
import { newHandle, newPan, newPhone } from './src/network.ts'
import { kindFor, NEEDS_MORE, ownHeaders } from './src/route-table.ts'
import { openStage, type Stage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type UsedWorld, useUp, type World } from './src/world.ts'

const table = Object.entries(routes) as [OperationId, Route][]
/** After these, the credential of the first request is no longer valid for a repetition. */
const ENDS_ITS_CREDENTIAL: readonly OperationId[] = ['logOut', 'logOutAdmin', 'logOutPlatform']

// A gateway signs its webhooks and sends no idempotency keys, and the clock is not a resource.
const posts = table.filter(
  ([operation, route]) =>
    route.method === 'POST' && !NEEDS_MORE.includes(operation) && !ENDS_ITS_CREDENTIAL.includes(operation),
)

let stage: Stage
let database: ServiceDatabase
let api: Api
let world: World
let used: UsedWorld

beforeAll(async () => {
  stage = await openStage()
  ;({ database, api } = stage)
  world = await openWorld(api)
  used = useUp(await openWorld(api))
})
afterAll(() => stage.close())

function keyed(here: World, operation: OperationId, route: Route, key: string): Sent {
  const call = VALID_CALLS[operation](here)
  const kind = kindFor(route, 'platform')
  const credential = kind === null ? {} : ownHeaders(here, operation, kind)
  return { ...call, headers: { ...credential, 'idempotency-key': key } }
}

const SECRETS = ['platform_secret', 'webhook_secret', 'agent_key']

function withoutSecrets(body: unknown): object {
  const secrets = SECRETS.filter(name => name in Object(body)).map(name => [name, null])
  return { ...Object(body), ...Object.fromEntries(secrets) }
}

/** Waits for work that the first call started, such as a payout, so that only the next call could change anything. */
async function fingerprintAtRest(): Promise<Record<string, string>> {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
  return database.fingerprint()
}

describe('the header Idempotency-Key', () => {
  test.each(posts)(
    'makes a repeated %s return the first response, without its secret, and refuses another body',
    async (operation, route) => {
      const { call, first } = await used.attempt(async here => {
        const call = keyed(here, operation, route, `again-${operation}`)
        const first = await api.send(route, call)
        expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([route.status, null])
        return { call: callAfter(operation, call, first), first }
      })
      const before = await fingerprintAtRest()
      const second = await api.send(route, call)
      expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([route.status, 'true'])
      expect(second.body).toEqual(withoutSecrets(first.body))
      const other = { ...call, body: otherBody(call.body) }
      const error = await api.refused(route, 422, 'idempotency_error', other)
      expect(error.field).toBe('Idempotency-Key')
      expect(await database.fingerprint()).toEqual(before)
    },
  )

  test('belongs to one credential: another may use the same key', async () => {
    const { platform, stranger } = world
    const ids = []
    for (const { headers } of [platform, stranger.platform]) {
      const body = { name: 'Ravi Iyer', phone: newPhone(), pan: newPan() }
      const call = { headers: { ...headers, 'idempotency-key': 'mine' }, body }
      ids.push((await api.ok(routes.createOwner, call)).owner_id)
    }
    expect(new Set(ids).size).toBe(2)
  })

  test('is not used up by a request that was refused', async () => {
    const { network, owner, payee } = world
    const poor = await network.agent(owner)
    const headers = { ...poor.headers, 'idempotency-key': 'try-again' }
    const call = { params: { agent_id: poor.id }, headers, body: { to: payee.id, amount: 10 } }
    await api.refused(routes.pay, 402, 'insufficient_balance', call)
    await network.fund(poor, 100)
    expect((await api.send(routes.pay, call)).headers.get('idempotent-replayed')).toBeNull()
    expect((await api.send(routes.pay, call)).headers.get('idempotent-replayed')).toBe('true')
    expect((await network.balance(poor)).available).toBe(97.5 - 11)
  })

  test('returns no stored response to a credential that has ended since', async () => {
    const { network, owner, platform, payee } = world
    const agent = await network.agent(owner)
    await network.fund(agent, 100)
    const headers = { ...agent.headers, 'idempotency-key': 'before-the-end' }
    const call = { params: { agent_id: agent.id }, headers, body: { to: payee.id, amount: 10 } }
    await api.ok(routes.pay, call)
    const rotation = { params: { agent_id: agent.id }, headers: platform.headers }
    await api.ok(routes.rotateAgentKey, rotation)
    await api.refused(routes.pay, 401, 'authentication_error', call)
  })

  test('can be used again after a day', async () => {
    const { payer } = world
    const call = {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, 'idempotency-key': 'yesterday' },
      body: { amount: 10 },
    }
    const first = await api.ok(routes.createFunding, call)
    await api.ok(routes.advanceClock, { body: { advance_seconds: 86_300 } })
    expect((await api.ok(routes.createFunding, call)).funding_id).toBe(first.funding_id)
    await api.ok(routes.advanceClock, { body: { advance_seconds: 101 } })
    expect((await api.ok(routes.createFunding, call)).funding_id).not.toBe(first.funding_id)
  })

  test('of a running request is refused, and that request takes effect once', async () => {
    const { payer, payee, network } = world
    const { available } = await network.balance(payer)
    const call = {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, 'idempotency-key': 'in-flight' },
      body: { to: payee.id, amount: 10 },
    }
    const window = await openTestDatabase(database.url)
    await window.query('begin')
    await window.query('select id from accounts for no key update')
    const both = [api.send(routes.pay, call), api.send(routes.pay, call)]
    const early = await Promise.race(both)
    expect([early.status, errorOf(early).code]).toEqual([409, 'idempotency_error'])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
    await window.query('rollback')
    await window.close()
    const done = (await Promise.all(both)).filter(reply => reply.status === 200)
    expect(done.length).toBe(1)
    expect((await api.send(routes.pay, call)).body).toEqual(done[0]?.body)
    expect((await network.balance(payer)).available).toBe(available - 11)
  })

  test('sent twenty times at once takes effect once', async () => {
    const { payer, payee, network } = world
    const { available } = await network.balance(payer)
    const call = {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, 'idempotency-key': 'all-at-once' },
      body: { to: payee.id, amount: 10 },
    }
    const replies = await Promise.all(Array.from({ length: 20 }, () => api.send(routes.pay, call)))
    const done = replies.filter(reply => reply.status === 200)
    expect(done.filter(reply => reply.headers.get('idempotent-replayed') === null).length).toBe(1)
    expect(new Set(done.map(reply => reply.text)).size).toBe(1)
    for (const reply of replies.filter(reply => reply.status !== 200)) {
      expect([reply.status, errorOf(reply).code]).toEqual([409, 'idempotency_error'])
    }
    expect((await network.balance(payer)).available).toBe(available - 11)
  })
})

/** A rotation replaces the credential that the first call came with. */
function callAfter(operation: OperationId, call: Sent, { body }: Reply): Sent {
  if (operation !== 'rotatePlatformSecret') return call
  return { ...call, headers: { ...call.headers, 'x-platform-secret': String(Object(body).platform_secret) } }
}

function otherBody(body: unknown): object {
  const fields = Object(body)
  if ('amount' in fields) return { ...fields, amount: 2 }
  if ('name' in fields) return { ...fields, name: newHandle() }
  if ('outcome' in fields) return { ...fields, method: 'card' }
  if ('advance_seconds' in fields) return { advance_seconds: 1 }
  if ('bank_ifsc' in fields) return { ...fields, bank_ifsc: 'SBIN0000001' }
  if ('decision' in fields) return { ...fields, note: 'another' }
  if ('phone' in fields) return { ...fields, phone: newPhone() }
  if ('to_agent_id' in fields) return { to_agent_id: newHandle() }
  if ('agent_id' in fields) return { ...fields, agent_id: exampleId('agt') }
  if ('platform_secret' in fields) return { ...fields, platform_secret: 'sk_live_another' }
  if ('nonce' in fields) return { ...fields, nonce: newHandle() }
  if ('endpoint' in fields) return { ...fields, endpoint: `${String(fields.endpoint)}x` }
  if ('agent_ids' in fields) return { agent_ids: fields.agent_ids.slice(1) }
  return {}
}
