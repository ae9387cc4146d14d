import type { OperationId, Route } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { ADMIN_PHONE, logIn } from './src/log-in.ts'
import { changingCall, FRESH_ADMIN, sizeOfLog, UNRECORDED } from './src/recorded.ts'
import { guarded, isUnsafe, kindFor, open, ownHeaders, type Row } from './src/route-table.ts'
import { openStage, type Stage } from './src/stage.ts'
import { DESTRUCTIVE } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

const OTHER_ADMIN = '9888888888'

let stage: Stage
let api: Api
let world: World

beforeAll(async () => {
  stage = await openStage({ ADMIN_PHONES: `${ADMIN_PHONE},${OTHER_ADMIN},${FRESH_ADMIN}` })
  ;({ api } = stage)
  world = await openWorld(api)
})
afterAll(() => stage.close())

const unsafe: Row[] = [...guarded, ...open].filter(([, route]) => isUnsafe(route))
const isRecorded = (operation: OperationId) => UNRECORDED[operation] === undefined
const size = () => sizeOfLog(api, world.stranger.agent.headers)

/** After these the world is another, and yet the calls of all that follow them still change something in it. */
const HARMLESS: readonly OperationId[] = [
  'updatePlatform',
  'rotateWebhookSecret',
  'submitKyc',
  'pauseAgent',
  'cancelPendingPolicy',
  'cancelOwnerPendingPolicy',
  'setOwnerTier',
  'freezeOwner',
  'unfreezeOwner',
  'reject',
  'attestEscrow',
  'reviewRiskAlert',
  'addMember',
]

const needsItsOwn = (operation: OperationId) =>
  operation === 'nameTreasury' || (DESTRUCTIVE.includes(operation) && !HARMLESS.includes(operation))

async function headersFor(own: World, operation: OperationId, route: Route): Promise<Headers> {
  // The administrator's session is everybody's here, so another's is ended.
  if (operation === 'logOutAdmin') return logIn(api, OTHER_ADMIN, 'admin')
  const kind = kindFor(route, 'platform')
  return kind === null ? {} : ownHeaders(own, operation, kind)
}

// These come first, before anything is on its way that is recorded when it arrives.
test.each(unsafe.filter(([operation]) => !isRecorded(operation)))(
  'the route %s is listed as one that records nothing in the audit log',
  async (operation, route) => {
    const call = await changingCall(operation, world)
    const headers = await headersFor(world, operation, route)
    const before = await size()
    await api.send(route, { ...call, headers })
    expect(await size()).toBe(before)
  },
)

test.each(unsafe.filter(([operation]) => isRecorded(operation)))(
  'the route %s records an entry in the audit log',
  async (operation, route) => {
    const own = needsItsOwn(operation) ? await openWorld(api) : world
    const call = await changingCall(operation, own)
    const headers = await headersFor(own, operation, route)
    const before = await size()
    const { status } = await api.send(route, { ...call, headers })
    expect(status).toBe(route.status)
    expect(await size()).toBeGreaterThan(before)
  },
)
