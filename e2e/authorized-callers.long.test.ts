import { type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { emptyWallets } from './src/empty-wallets.ts'
import { ADMIN_PHONES, logIn, ownSessionId } from './src/log-in.ts'
import { guarded, KINDS, type Kind, NEEDS_MORE, open, ownHeaders, takes } from './src/route-table.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type UsedWorld, useUp, type World } from './src/world.ts'

/** Administrators whose sessions end, because all tests share that of the first. */
const OTHER_ADMINS: Partial<Record<OperationId, string>> = {
  logOutAdmin: ADMIN_PHONES.loggingOut,
  endSession: ADMIN_PHONES.endingSession,
}

let stage: Stage
let api: Api
let world: World
let used: UsedWorld

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api } = stage)
  world = await openWorld(api)
  used = useUp(world)
})
afterAll(() => stage.close())

const everybody = (): Headers[] => [
  {},
  world.platform.headers,
  world.payer.headers,
  world.ownerHeaders,
  world.adminHeaders,
]

test.each(open.filter(([operation]) => !NEEDS_MORE.includes(operation)))(
  'the route %s needs no credential and accepts a valid one',
  async (operation, route) => {
    for (const headers of everybody()) {
      const { status } = await api.send(route, { ...VALID_CALLS[operation](world), headers })
      expect(status).toBe(route.status)
    }
  },
)

test('logging in needs no credential and accepts any valid one', async () => {
  for (const headers of everybody()) {
    const { phone } = await world.network.owner(world.platform)
    await api.ok(routes.sendOtp, { body: { phone } })
    const { code } = await api.ok(routes.getSandboxOtp, { params: { phone } })
    await api.ok(routes.verifyOtp, { body: { phone, code }, headers })
  }
})

test('two valid credentials of different kinds are accepted', async () => {
  const { platform, payer, ownerHeaders } = world
  const headers = { ...platform.headers, ...payer.headers, ...ownerHeaders }
  await api.ok(routes.getBalance, { params: { agent_id: payer.id }, headers })
  await api.ok(routes.getCurrentAgent, { headers })
  await api.ok(routes.listOwners, { headers })
  await api.ok(routes.getSession, { headers })
})

const PAIRS = guarded.flatMap(([operation, route]) =>
  KINDS.filter(kind => takes(route, kind) && !NEEDS_MORE.includes(operation)).map(
    kind => [operation, kind, route] as const,
  ),
)

test.each(PAIRS)('the route %s serves an authorized %s', (operation: OperationId, kind: Kind, route: Route) =>
  used.attempt(async here => {
    if (operation === 'deletePlatform') await emptyWallets(here)
    const other = kind === 'admin' ? (OTHER_ADMINS[operation] ?? null) : null
    const headers = other === null ? ownHeaders(here, operation, kind) : await logIn(api, other, 'admin')
    const call = VALID_CALLS[operation](here)
    const own = operation === 'endSession' ? { params: { session_id: await ownSessionId(api, headers) } } : {}
    await api.ok(route, { ...call, ...own, headers })
  }),
)
