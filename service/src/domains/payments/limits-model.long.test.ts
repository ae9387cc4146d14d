import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LONG_SECONDS, SEED } from '../../testing/knobs.ts'
import { limitsPrograms } from '../../testing/limits/limits-program.ts'
import { runLimitsProgram } from '../../testing/limits/limits-run.ts'
import { type LimitsStage, openLimitsStage } from '../../testing/limits/limits-stage.ts'

const EVERY_RESPONSE = [
  'allocated',
  'app connected',
  'approved',
  'approved for an app',
  'asked',
  'authentication_error',
  'authorization_error allowed_payees',
  'authorization_error blocked_payee_agents',
  'conflict',
  'escrow_required require_escrow_above',
  'held',
  'mix',
  'paid',
  'refund of a hold',
  'refused by a cap: spend_limit_daily',
  'refused by a cap: spend_limit_per_tx',
  'release of a hold',
  'release refused',
  'release to an agent named then',
  'spend_limit_exceeded budget_limit',
  'spend_limit_exceeded max_counterparties_per_hour',
  'spend_limit_exceeded per_counterparty_daily_limit',
  'spend_limit_exceeded spend_limit_daily',
  'spend_limit_exceeded spend_limit_hourly',
  'spend_limit_exceeded spend_limit_monthly',
  'spend_limit_exceeded spend_limit_per_tx',
]

const MOST_SEEDS = 40

let stage: LimitsStage
beforeAll(async () => {
  stage = await openLimitsStage(new Date(0))
})
afterAll(() => stage.close())

test('two nodes decide and report as a reference that scans the whole history, at length', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  console.log(`limits seeds from ${SEED}`)
  const tally = new Map<string, number>()
  const missing = () => EVERY_RESPONSE.filter(response => !tally.has(response))
  // However slow the machine, it runs until every result has occurred; a bound ends it if one never does.
  for (
    let seed = SEED;
    performance.now() < deadlineMs || (missing().length > 0 && seed < SEED + MOST_SEEDS);
    seed++
  ) {
    await fc.assert(
      fc.asyncProperty(limitsPrograms(120), program => runLimitsProgram(stage, program, tally)),
      { numRuns: 10, seed, endOnFailure: true },
    )
  }
  expect([...tally.keys()].toSorted()).toEqual(EVERY_RESPONSE)
  console.log(tally)
})
