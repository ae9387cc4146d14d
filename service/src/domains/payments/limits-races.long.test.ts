import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LONG_SECONDS, SEED } from '../../testing/knobs.ts'
import { brokenLimits, raceLimits } from '../../testing/limits/limits-race.ts'
import { randomRaces } from '../../testing/limits/limits-race-program.ts'
import { type LimitsStage, openLimitsStage } from '../../testing/limits/limits-stage.ts'

/** Within the same hour, after it, and on another day. */
const PAUSES_MS = [40 * 60_000, 40 * 60_000, 24 * 60 * 60_000 - 1]

let stage: LimitsStage
beforeAll(async () => {
  stage = await openLimitsStage(new Date('2026-11-20T06:30:00.000Z'))
})
afterAll(() => stage.close())

test('200 concurrent payments on two nodes exceed no limit of any layers, round after round', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  console.log(`race seeds from ${SEED}`)
  const sums = { rounds: 0, paid: 0, refused: 0 }
  for (let seed = SEED; performance.now() < deadlineMs; seed++) {
    await fc.assert(
      fc.asyncProperty(randomRaces(200), async race => {
        const { paid, refused } = await raceLimits(stage, race, PAUSES_MS)
        expect(brokenLimits(race.layers, paid)).toEqual([])
        sums.rounds += 1
        sums.paid += paid.length
        sums.refused += refused.length
      }),
      { numRuns: 20, seed, endOnFailure: true },
    )
  }
  console.log(sums)
  expect(Math.min(sums.paid, sums.refused)).toBeGreaterThan(sums.rounds)
})
