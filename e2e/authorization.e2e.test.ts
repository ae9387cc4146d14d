import { type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, errorOf, type Headers, request, type Sent } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { tokenOf } from './src/log-in.ts'
import {
  guarded,
  idsIn,
  isUnsafe,
  KINDS,
  type Kind,
  ownHeaders,
  PREFIX,
  type Row,
  strangersHeaders,
  takes,
} from './src/route-table.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

let stage: Stage
let database: ServiceDatabase
let api: Api
let world: World
let before: Record<string, string>

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, api } = stage)
  world = await openWorld(api)
  before = await database.fingerprint()
})
afterAll(async () => {
  // Every call of this file is refused, so nothing has changed.
  expect(await database.fingerprint()).toEqual(before)
  await stage.close()
})

/** A call that would succeed with the right credential. */
function validCall(operation: OperationId, headers: Headers = {}): Sent {
  return { ...VALID_CALLS[operation](world), headers }
}

const unknownKey = `agk_live_${'x'.repeat(43)}`
const unknownSecret = `sk_live_${'x'.repeat(43)}`
const unknownSession = `ses_live_${'x'.repeat(43)}`

/** Path parameters of things without an owner, or that any caller may read. */
const NOBODYS = ['control', 'day', 'gateway', 'handle', 'payment_session_id', 'phone', 'request_id', 'tier']

test('every path parameter either names something with an owner, and is tested with strangers, or is listed as an exception', () => {
  const names = Object.values(routes).flatMap((route: Route) => Object.keys(route.params?.properties ?? {}))
  expect(new Set(names.filter(name => !(name in PREFIX)))).toEqual(new Set(NOBODYS))
})

function changed(secret: string): string {
  return `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
}

/** Invalid credentials, by their fault. */
function wrongCredentials(): Record<string, Headers> {
  const { platform, payer, stranger, ownerHeaders, adminHeaders } = world
  const [owner, admin] = [tokenOf(ownerHeaders), tokenOf(adminHeaders)]
  const session = (text: string): Headers => ({ ...ownerHeaders, cookie: text })
  return {
    'an unknown agent key': { 'x-agent-key': unknownKey },
    'a key with one letter changed': { 'x-agent-key': changed(payer.key) },
    'a key with a space inside': { 'x-agent-key': `${payer.key} ${payer.key}` },
    'an empty key': { 'x-agent-key': '' },
    'a platform secret as a key': { 'x-agent-key': platform.secret },
    'SQL as a key': { 'x-agent-key': "agk_live_' or '1'='1" },
    'a platform id alone': { 'x-platform-id': platform.id },
    'a platform secret alone': { 'x-platform-secret': platform.secret },
    'a wrong secret': { 'x-platform-id': platform.id, 'x-platform-secret': unknownSecret },
    "another platform's secret": {
      'x-platform-id': platform.id,
      'x-platform-secret': stranger.platform.secret,
    },
    'an id that is none': { 'x-platform-id': "plt_' or 1=1 --", 'x-platform-secret': platform.secret },
    'session cookies that nobody made': session('service_session=abc; service_admin_session=abc'),
    'an unknown session': session(`service_session=${unknownSession}`),
    'an empty session': session('service_session='),
    'a session with one letter changed': session(`service_session=${changed(owner)}`),
    'an owner session as an administrator’s': session(`service_admin_session=${owner}`),
    'an administrator session as an owner’s': session(`service_session=${admin}`),
    'a session as an agent key': { 'x-agent-key': owner },
  }
}

test.each(guarded)('the route %s needs a credential', async (operation, route) => {
  await api.refused(route, 401, 'authentication_error', validCall(operation))
})

test.each(guarded)('the route %s refuses a wrong credential', async (operation, route) => {
  for (const headers of Object.values(wrongCredentials())) {
    await api.refused(route, 401, 'authentication_error', validCall(operation, headers))
  }
})

test.each(guarded)('the route %s refuses other kinds of credentials', async (operation, route) => {
  for (const kind of KINDS.filter(kind => !takes(route, kind))) {
    const call = validCall(operation, ownHeaders(world, operation, kind))
    await api.refused(route, 401, 'authentication_error', call)
  }
})

test('the MCP endpoint refuses every credential except an agent’s key as bearer token', async () => {
  const call = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }
  const bearers = [
    unknownKey,
    unknownSecret,
    changed(world.payer.key),
    world.platform.secret,
    '',
    "' or 1=1 --",
  ]
  const refused: Headers[] = [
    {},
    ...Object.values(wrongCredentials()),
    ...KINDS.map(kind => ownHeaders(world, 'getBalance', kind)),
    ...bearers.map(key => ({ authorization: `Bearer ${key}` })),
  ]
  for (const headers of refused) {
    const reply = await request(api.address, 'POST', '/mcp', { ...call, headers })
    expect([reply.status, errorOf(reply).code]).toEqual([401, 'authentication_error'])
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="http/)
  }
})

/** Invalid credentials that can be sent together with a valid credential of this kind. */
function wrongBeside(kind: Kind, right: Headers): Headers[] {
  const { cookie } = right
  return [
    kind === 'platform' ? { 'x-agent-key': unknownKey } : { 'x-platform-id': world.platform.id },
    { cookie: cookie === undefined ? 'service_session=dead' : `${cookie}; ${otherCookie(kind)}=dead` },
  ]
}

function otherCookie(kind: Kind): string {
  return kind === 'admin' ? 'service_session' : 'service_admin_session'
}

test.each(guarded)(
  'the route %s refuses a valid credential that is sent with an invalid one',
  async (operation, route) => {
    for (const kind of KINDS.filter(kind => takes(route, kind))) {
      const right = ownHeaders(world, operation, kind)
      for (const wrong of wrongBeside(kind, right)) {
        const call = validCall(operation, { ...right, ...wrong })
        await api.refused(route, 401, 'authentication_error', call)
      }
    }
  },
)

const bySession = guarded.filter(
  ([, route]) => isUnsafe(route) && (takes(route, 'owner') || takes(route, 'admin')),
)

test.each(bySession)(
  'the route %s refuses a request from a page of another site',
  async (operation, route) => {
    for (const kind of (['owner', 'admin'] as const).filter(kind => takes(route, kind))) {
      const { cookie = '' } = ownHeaders(world, operation, kind)
      for (const from of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
        await api.refused(route, 403, 'authorization_error', validCall(operation, { cookie, ...from }))
      }
    }
  },
)

/** These report to any caller whether something is genuine, with status 200. */
const RESPONDS_TO_STRANGERS: readonly OperationId[] = [
  'verifyTransaction',
  'restoreNonce',
  'verifyReceipt',
  'getCertificate',
  'verifyIdentity',
  'getPublicKey',
]

/** The owner of an agent or a certificate is not secret; the existence of anything else is. */
const MAY_BE_KNOWN: readonly string[] = ['agent_id', 'cert_id']

const addressed: Row[] = guarded.filter(
  ([operation, route]) => idsIn(route).length > 0 && !RESPONDS_TO_STRANGERS.includes(operation),
)

test.each(addressed)('the route %s is refused to a stranger', async (operation, route) => {
  for (const kind of ['platform', 'agent', 'owner'] as const) {
    if (!takes(route, kind)) continue
    const [status, code] = MAY_BE_KNOWN.includes(idsIn(route)[0] ?? '')
      ? ([403, 'authorization_error'] as const)
      : ([404, 'not_found'] as const)
    await api.refused(route, status, code, validCall(operation, strangersHeaders(world, kind)))
  }
})

const ofOneAgent = addressed.filter(([, route]) => route.path.includes('{agent_id}') && takes(route, 'agent'))

test.each(ofOneAgent)(
  'the route %s is refused to another agent of the same owner',
  async (operation, route) => {
    const call = validCall(operation, world.payee.headers)
    await api.refused(route, 403, 'authorization_error', call)
  },
)

test.each(addressed)('the route %s returns not_found for an unknown id', async (operation, route) => {
  for (const kind of KINDS.filter(kind => takes(route, kind))) {
    for (const id of ['01kb7q3f8meg5tz4x9wc2n6a01', 'none', '8zzzzzzzzzzzzzzzzzzzzzzzzz']) {
      const call = validCall(operation, ownHeaders(world, operation, kind))
      const nothing = Object.fromEntries(idsIn(route).map(name => [name, `${PREFIX[name] ?? ''}_${id}`]))
      await api.refused(route, 404, 'not_found', { ...call, params: { ...call.params, ...nothing } })
    }
  }
})

describe('access of strangers', () => {
  test("a funding is not found in another agent's path", async () => {
    const { payee, session, platform, ownerHeaders } = world
    const params = { agent_id: payee.id, funding_id: session.funding_id }
    for (const headers of [payee.headers, platform.headers, ownerHeaders]) {
      await api.refused(routes.getFunding, 404, 'not_found', { params, headers })
    }
  })

  test("a payment is not found in its payee's path", async () => {
    const { payee, payment, platform, ownerHeaders } = world
    const params = { agent_id: payee.id, payment_id: payment.payment_id ?? '' }
    for (const headers of [payee.headers, platform.headers, ownerHeaders]) {
      await api.refused(routes.getPayment, 404, 'not_found', { params, headers })
    }
  })

  test('a payment is not refunded by its payer', async () => {
    const call = validCall('refundPayment', world.payer.headers)
    await api.refused(routes.refundPayment, 404, 'not_found', call)
  })

  test("an agent is not created for another platform's owner", async () => {
    const call = validCall('createAgent', world.stranger.platform.headers)
    const error = await api.refused(routes.createAgent, 404, 'not_found', call)
    expect(error.field).toBe('owner_id')
  })

  test("another owner's policy is neither read nor changed", async () => {
    const headers = world.stranger.ownerHeaders
    const query = { owner_id: world.owner.id }
    await api.refused(routes.getOwnerPolicy, 404, 'not_found', { headers, query })
    const body = { spend_limit_daily: 1 }
    await api.refused(routes.updateOwnerPolicy, 404, 'not_found', { headers, query, body })
  })

  test("an owner's list of transactions never has those of another owner's agent, even if requested", async () => {
    const headers = world.stranger.ownerHeaders
    const call = { headers, query: { agent_id: world.payer.id } }
    await api.refused(routes.listOwnerTransactions, 403, 'authorization_error', call)
    expect((await api.ok(routes.listOwnerTransactions, { headers })).transactions).toEqual([])
  })
})
