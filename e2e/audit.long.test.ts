import type { OperationId, Route } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { ADMIN_PHONES, logIn } from './src/log-in.ts'
import { changingCall, sizeOfLog, UNRECORDED } from './src/recorded.ts'
import { guarded, isUnsafe, kindFor, open, ownHeaders, type Row } from './src/route-table.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { openWorld, type UsedWorld, useUp, type World } from './src/world.ts'

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

const unsafe: Row[] = [...guarded, ...open].filter(([, route]) => isUnsafe(route))
const isRecorded = (operation: OperationId) => UNRECORDED[operation] === undefined
const size = () => sizeOfLog(api, world.stranger.agent.headers)

async function headersFor(own: World, operation: OperationId, route: Route): Promise<Headers> {
  // All tests share the administrator's session, so another one is ended.
  if (operation === 'logOutAdmin') return logIn(api, ADMIN_PHONES.loggingOut, 'admin')
  const kind = kindFor(route, 'platform')
  return kind === null ? {} : ownHeaders(own, operation, kind)
}

// These come first, before anything is in progress that is recorded later.
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
  (operation, route) =>
    used.attempt(async here => {
      const call = await changingCall(operation, here)
      const headers = await headersFor(here, operation, route)
      const before = await size()
      const { status } = await api.send(route, { ...call, headers })
      expect(status).toBe(route.status)
      expect(await size()).toBeGreaterThan(before)
    }),
)
