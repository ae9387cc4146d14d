import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AuthorizationStage,
  openAuthorizationStage,
  raceAuthorization,
} from '../../../testing/authorization-race.ts'
import { authorizationIntent, authorizedOn, captureOn } from '../../../testing/authorizing.ts'
import { balanceOf, outcomesOf } from '../../../testing/builders.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'

const RACES = 30 * PROOF_LENGTH

let stage: AuthorizationStage
beforeAll(async () => {
  stage = await openAuthorizationStage()
})
afterAll(() => stage.close())

test('captures, ends, expiry, a freeze and a chargeback beyond the balance on two nodes have one order, and no paisa is lost', async () => {
  const ended = new Map<string, number>()
  // Over many rounds each end occurs; a race without one of them would prove little.
  for (let round = 0; round < RACES || (ended.size < 3 && round < 20 * RACES); round++) {
    const status = await raceAuthorization(stage, round)
    ended.set(status, (ended.get(status) ?? 0) + 1)
  }
  console.log(ended)
  expect([...ended.keys()].toSorted()).toEqual(['closed', 'expired', 'voided'])
}, 600_000)

test('of 200 requests with the same and with growing totals at once, each paisa is captured once', async () => {
  const { database, nodes, payer, payee } = stage
  const seen = await authorizedOn(nodes[0], authorizationIntent(payer, payee, 1_000_000n))
  const before = await balanceOf(database, payee)
  const totals = Array.from({ length: 200 }, (_, at) => BigInt(1 + (at % 50)) * 10_000n)
  const { done, refused } = await outcomesOf(
    totals.map((total, at) => captureOn(nodes[at % 2] ?? nodes[0], seen, 'total', total)),
  )
  expect(refused).toEqual([])
  const moved = done.reduce((sum, { captured_now }) => sum + Math.round(captured_now * 100), 0)
  expect(moved).toBe(500_000)
  expect(await balanceOf(database, payee)).toBe(before + 500_000n)
  expect(await captureOn(nodes[1], seen, 'total', 500_000n, true)).toMatchObject({
    captured_now: 0,
    captured: 5_000,
  })
})
