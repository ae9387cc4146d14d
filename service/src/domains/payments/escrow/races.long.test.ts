import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EscrowStage, openEscrowStage, raceEscrow, type Winner } from '../../../testing/escrow-race.ts'
import { LONG_SECONDS } from '../../../testing/knobs.ts'

const RACES = 1_000

let stage: EscrowStage
beforeAll(async () => {
  stage = await openEscrowStage()
})
afterAll(() => stage.close())

test('of release, refund, attestation and timeout one wins each time, in 1,000 races and more', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  const won = new Map<Winner, number>()
  let races = 0
  for (; races < RACES || performance.now() < deadlineMs; races++) {
    const winner = await raceEscrow(stage, races)
    won.set(winner, (won.get(winner) ?? 0) + 1)
  }
  console.log(races, won)
  expect([...won.keys()].toSorted()).toEqual(['attest', 'refund', 'release', 'timeout'])
})
