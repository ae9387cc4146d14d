import { expect, test } from 'vitest'
import { LONG_SECONDS, MONEY_MOVES, SEED } from '../knobs.ts'
import { ALWAYS_MET, MET_AT_LENGTH } from './expectations.ts'
import { proveMoves } from './prove.ts'
import { openMoneyWorld } from './world.ts'

/** With fewer moves some counters may not be reached. */
const AT_LENGTH = 10_000
const AGENTS = 160

test('after a long run of fundings, payouts and faults in any order, every paisa is in the correct account', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  let seed = SEED
  do {
    const world = await openMoneyWorld(seed, AGENTS)
    try {
      console.log(`money moves seed ${seed}`)
      console.log(await proveMoves(world, MONEY_MOVES, MONEY_MOVES < AT_LENGTH ? ALWAYS_MET : MET_AT_LENGTH))
    } finally {
      await world.close()
    }
    seed++
  } while (performance.now() < deadlineMs)
  expect(seed).toBeGreaterThan(SEED)
})
