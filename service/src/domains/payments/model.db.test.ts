import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectBalanced } from '../../testing/builders.ts'
import { PROOF_LENGTH, SEED } from '../../testing/knobs.ts'
import { programs } from '../../testing/model/model-program.ts'
import {
  closeModelStage,
  type ModelStage,
  openModelStage,
  runProgram,
} from '../../testing/model/model-run.ts'

const PROGRAMS = 6 * PROOF_LENGTH
const LONGEST_SEARCH_MS = 60_000 * PROOF_LENGTH

let stage: ModelStage
beforeAll(async () => {
  stage = await openModelStage()
})
afterAll(() => closeModelStage(stage))

test(
  'two nodes under concurrent commands respond and post as a plain model does in some serial order',
  async () => {
    console.log(`model seed ${SEED}`)
    await fc.assert(
      fc.asyncProperty(programs(50, 12), program => runProgram(stage, program)),
      { numRuns: PROGRAMS, seed: SEED, interruptAfterTimeLimit: LONGEST_SEARCH_MS },
    )
    expect(stage.nodes.flatMap(({ broken }) => broken)).toEqual([])
    await expectBalanced(stage.database)
    console.log(stage.tally)
  },
  2 * LONGEST_SEARCH_MS,
)
