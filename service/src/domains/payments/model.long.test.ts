import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectBalanced } from '../../testing/builders.ts'
import { LONG_SECONDS, SEED } from '../../testing/knobs.ts'
import { programs } from '../../testing/model/model-program.ts'
import {
  closeModelStage,
  type ModelStage,
  openModelStage,
  runProgram,
} from '../../testing/model/model-run.ts'

const EVERY_RESPONSE = [
  'authentication_error',
  'authorization_error',
  'conflict',
  'done',
  'idempotency_error',
  'insufficient_balance',
  'not_found',
  'policy_denied',
  'spend_limit_exceeded',
  'validation_error',
]

let stage: ModelStage
beforeAll(async () => {
  stage = await openModelStage()
})
afterAll(() => closeModelStage(stage))

test('two nodes under concurrent commands respond and post as a plain model does, at length', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  console.log(`model seeds from ${SEED}`)
  for (let seed = SEED; performance.now() < deadlineMs; seed++) {
    await fc.assert(
      fc.asyncProperty(programs(120, 30), program => runProgram(stage, program)),
      { numRuns: 10, seed, endOnFailure: true },
    )
  }
  expect(stage.nodes.flatMap(({ broken }) => broken)).toEqual([])
  expect([...stage.tally.keys()].toSorted()).toEqual(EVERY_RESPONSE)
  await expectBalanced(stage.database)
  console.log(stage.tally)
})
