import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROOF_LENGTH, SEED } from '../../testing/knobs.ts'
import { limitsPrograms } from '../../testing/limits/limits-program.ts'
import { runLimitsProgram } from '../../testing/limits/limits-run.ts'
import { type LimitsStage, openLimitsStage } from '../../testing/limits/limits-stage.ts'

const PROGRAMS = 10 * PROOF_LENGTH
const LONGEST_SEARCH_MS = 60_000 * PROOF_LENGTH

let stage: LimitsStage
beforeAll(async () => {
  stage = await openLimitsStage(new Date(0))
})
afterAll(() => stage.close())

test(
  'two nodes decide and report as a reference that scans the whole history',
  async () => {
    console.log(`limits seed ${SEED}`)
    const tally = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(limitsPrograms(40), program => runLimitsProgram(stage, program, tally)),
      { numRuns: PROGRAMS, seed: SEED, interruptAfterTimeLimit: LONGEST_SEARCH_MS },
    )
    console.log(tally)
    expect(tally.get('paid')).toBeGreaterThan(PROGRAMS)
    expect(tally.get('app connected')).toBeGreaterThan(0)
  },
  2 * LONGEST_SEARCH_MS,
)
