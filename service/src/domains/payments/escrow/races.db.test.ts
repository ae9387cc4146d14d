import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EscrowStage, openEscrowStage, raceEscrow, type Winner } from '../../../testing/escrow-race.ts'

const RACES = 60

let stage: EscrowStage
beforeAll(async () => {
  stage = await openEscrowStage()
})
afterAll(() => stage.close())

test('of release, refund, attestation and timeout on two nodes one wins each time, and no paisa is lost', async () => {
  const won = new Map<Winner, number>()
  // Over many rounds each of the four wins; a race that one of them never wins would prove little.
  for (let round = 0; round < RACES || (won.size < 4 && round < 10 * RACES); round++) {
    const winner = await raceEscrow(stage, round)
    won.set(winner, (won.get(winner) ?? 0) + 1)
  }
  console.log(won)
  expect([...won.keys()].toSorted()).toEqual(['attest', 'refund', 'release', 'timeout'])
})
