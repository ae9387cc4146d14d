import { exampleId, type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Reply, Sent } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { newHandle, newPhone } from './src/network.ts'
import { kindFor, NEEDS_MORE, ownHeaders } from './src/route-table.ts'
import { type Stage, sharedStage } from './src/stage.ts'
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
let used: UsedWorld

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, api } = stage)
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

test.each(posts)(
  'with an idempotency key, a repeated %s returns the first response without its secret, and another body is refused',
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
  if ('x402Version' in fields) return { ...fields, x402Version: 3 }
  if ('endpoint' in fields) return { ...fields, endpoint: `${String(fields.endpoint)}x` }
  if ('agent_ids' in fields) return { agent_ids: fields.agent_ids.slice(1) }
  return {}
}
