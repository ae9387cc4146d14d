import { type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from './src/stage.ts'
import { openWorld, type World } from './src/world.ts'

let stage: Stage
let world: World

beforeAll(async () => {
  stage = await openStage({ LOG_LEVEL: 'info' })
  world = await openWorld(stage.api)
}, 60_000)
afterAll(() => stage.close())

type Ledger = ResponseOf<typeof routes.getOverview>['ledger']

async function ledger(): Promise<Ledger> {
  const headers = await world.network.admin()
  return (await stage.api.ok(routes.getOverview, { headers })).ledger
}

/** Waits for whole rounds of the check. */
async function afterARound(): Promise<Ledger> {
  for (let ended = 0, last = (await ledger()).checked_at, tries = 0; tries < 60; tries++) {
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 901 } })
    const now = await ledger()
    if (now.checked_at !== last && ++ended === 2) return now
    last = now.checked_at
  }
  throw new Error('the check does not get round')
}

test('an edited row that no request reads is reported by the running service until it is restored', async () => {
  expect(await afterARound()).toMatchObject({ balanced: true })
  const change = (tier: string) =>
    stage.database.query(
      `update owners set tier = '${tier}' where link_status = 'invited' and tier <> '${tier}'`,
    )
  await change('tier3')
  expect(await afterARound()).toMatchObject({ balanced: false })
  const metrics = await (await fetch(`${stage.service.address}/metrics`)).text()
  expect(metrics).toMatch(/^batua_ledger_check_passed 0$/m)
  expect(metrics).toMatch(/^batua_ledger_check_findings [1-9]/m)
  // The log comes through a separate pipe, so it may arrive after the response.
  await expect.poll(stage.service.output).toContain('altered row found by the ledger check')
  await change('sandbox')
  expect(await afterARound()).toMatchObject({ balanced: true })
}, 120_000)
