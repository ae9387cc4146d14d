import { type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import type { Api, Headers, Sent } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { openStage, type Stage } from './src/stage.ts'
import { DESTRUCTIVE, ownHeaders, VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

// Owner and administrator sessions come later; until then these two kinds of credential exist.
const KINDS = ['platform', 'agent'] as const
type Kind = (typeof KINDS)[number]

const table = Object.entries(routes) as [OperationId, Route][]
const guarded = table.filter(([, route]) => route.who.length > 0)
const open = table.filter(([, route]) => route.who.length === 0)

let stage: Stage
let database: ServiceDatabase
let api: Api
let world: World

beforeAll(async () => {
  stage = await openStage()
  ;({ database, api } = stage)
  world = await openWorld(api)
})
afterAll(() => stage.close())

/** A call that would succeed with the right credential. */
function validCall(operation: OperationId, headers: Headers = {}): Sent {
  return { ...VALID_CALLS[operation](world), headers }
}

function takes(route: Route, kind: Kind): boolean {
  return route.who.includes(kind)
}

const unknownKey = `agk_live_${'x'.repeat(43)}`
const unknownSecret = `sk_live_${'x'.repeat(43)}`

/** Credentials that prove nothing, by what is wrong with them. */
function wrongCredentials(): Record<string, Headers> {
  const { platform, payer, stranger } = world
  const swapped = `${payer.key.slice(0, -1)}${payer.key.endsWith('A') ? 'B' : 'A'}`
  return {
    'an unknown agent key': { 'x-agent-key': unknownKey },
    'a key with one letter changed': { 'x-agent-key': swapped },
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
    'a session cookie that nobody made': { cookie: 'service_session=abc; service_admin_session=abc' },
  }
}

group('a call that its caller may not make is refused and changes nothing', () => {
  let before: Record<string, string>
  beforeAll(async () => {
    before = await database.fingerprint()
  })
  afterAll(async () => {
    expect(await database.fingerprint()).toEqual(before)
  })

  test.each(guarded)('%s needs a credential', async (operation, route) => {
    await api.refused(route, 401, 'authentication_error', validCall(operation))
  })

  test.each(guarded)('%s takes no wrong credential', async (operation, route) => {
    for (const headers of Object.values(wrongCredentials())) {
      await api.refused(route, 401, 'authentication_error', validCall(operation, headers))
    }
  })

  test.each(guarded)('%s takes no other kind of credential', async (operation, route) => {
    for (const kind of KINDS.filter(kind => !takes(route, kind))) {
      const call = validCall(operation, ownHeaders(world, operation, kind))
      await api.refused(route, 401, 'authentication_error', call)
    }
  })

  test.each(guarded)('%s takes no right credential beside a wrong one', async (operation, route) => {
    for (const kind of KINDS.filter(kind => takes(route, kind))) {
      const wrong =
        kind === 'platform' ? { 'x-agent-key': unknownKey } : { 'x-platform-id': world.platform.id }
      const call = validCall(operation, { ...ownHeaders(world, operation, kind), ...wrong })
      await api.refused(route, 401, 'authentication_error', call)
    }
  })

  const addressed = guarded.filter(
    ([operation, route]) => route.params && !ANSWERS_STRANGERS.includes(operation),
  )

  test.each(addressed)('%s is refused to a stranger', async (operation, route) => {
    const { platform, agent } = world.stranger
    for (const [kind, { headers }] of [
      ['platform', platform],
      ['agent', agent],
    ] as const) {
      if (!takes(route, kind)) continue
      // Whose an agent is may be known; of all else a stranger does not even learn that it exists.
      const [status, code] = route.path.includes('{agent_id}')
        ? ([403, 'authorization_error'] as const)
        : ([404, 'not_found'] as const)
      await api.refused(route, status, code, validCall(operation, headers))
    }
  })

  const ofOneAgent = addressed.filter(
    ([, route]) => route.path.includes('{agent_id}') && takes(route, 'agent'),
  )

  test.each(ofOneAgent)('%s is refused to another agent of the same owner', async (operation, route) => {
    const call = validCall(operation, world.payee.headers)
    await api.refused(route, 403, 'authorization_error', call)
  })

  test.each(addressed)('%s finds nothing where there is nothing', async (operation, route) => {
    for (const kind of KINDS.filter(kind => takes(route, kind))) {
      for (const id of ['01kb7q3f8meg5tz4x9wc2n6a01', 'none', '8zzzzzzzzzzzzzzzzzzzzzzzzz']) {
        const params = Object.fromEntries(
          Object.keys(route.params?.properties ?? {}).map(name => [name, `${PREFIX[name] ?? ''}_${id}`]),
        )
        const call = { ...validCall(operation, ownHeaders(world, operation, kind)), params }
        await api.refused(route, 404, 'not_found', call)
      }
    }
  })

  test("a funding is not found under another agent's address", async () => {
    const { payee, session, platform } = world
    const params = { agent_id: payee.id, funding_id: session.funding_id }
    for (const { headers } of [payee, platform]) {
      await api.refused(routes.getFunding, 404, 'not_found', { params, headers })
    }
  })

  test("a payment is not found under its payee's address", async () => {
    const { payee, payment, platform } = world
    const params = { agent_id: payee.id, payment_id: payment.payment_id ?? '' }
    for (const { headers } of [payee, platform]) {
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
})

/** These tell whoever asks whether a payment is genuine, and say so with 200. */
const ANSWERS_STRANGERS: readonly OperationId[] = ['verifyTransaction', 'verifyReceipt']

const PREFIX: Readonly<Record<string, string>> = {
  platform_id: 'plt',
  owner_id: 'own',
  agent_id: 'agt',
  funding_id: 'fund',
  payment_id: 'pay',
  receipt_id: 'rcp',
}

group('a call that its caller may make is answered', () => {
  test.each(open.filter(([operation]) => operation !== 'receiveGatewayNotice'))(
    '%s needs no credential, and one does not hurt',
    async (operation, route) => {
      for (const headers of [{}, world.platform.headers, world.payer.headers]) {
        expect((await api.send(route, { ...VALID_CALLS[operation](world), headers })).status).toBe(
          route.status,
        )
      }
    },
  )

  test.each(guarded)('%s answers every kind of its own callers', async (operation, route) => {
    for (const kind of KINDS.filter(kind => takes(route, kind))) {
      const fresh = DESTRUCTIVE.includes(operation) ? await openWorld(api) : world
      if (operation === 'deletePlatform') await emptyWallets(fresh)
      const call = { ...VALID_CALLS[operation](fresh), headers: ownHeaders(fresh, operation, kind) }
      await api.ok(route, call)
    }
  })

  test('two right credentials of different kinds are as good as one', async () => {
    const headers = { ...world.platform.headers, ...world.payer.headers }
    await api.ok(routes.getBalance, { params: { agent_id: world.payer.id }, headers })
    await api.ok(routes.getCurrentAgent, { headers })
    await api.ok(routes.listOwners, { headers })
  })
})

/** Sends what the world's agents hold to the stranger's. */
async function emptyWallets({ network, payer, payee, stranger }: World): Promise<void> {
  for (const agent of [payer, payee]) {
    const { available } = await network.balance(agent)
    const rupees = available > 201 ? Math.floor((available / 1.005) * 100) / 100 : available - 1
    await network.pay(agent, stranger.agent, rupees)
    const rest = (await network.balance(agent)).available
    expect(rest).toBe(0)
  }
}
