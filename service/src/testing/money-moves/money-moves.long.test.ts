import { expect, test } from 'vitest'
import { LONG_SECONDS, SEED } from '../knobs.ts'
import { MET_AT_LENGTH } from './expectations.ts'
import { proveMoves } from './prove.ts'
import { openMoneyWorld } from './world.ts'

const MOVES = 10_000
const AGENTS = 160

test('ten thousand fundings, payouts and faults in any order end with every paisa where it belongs', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  let seed = SEED
  do {
    const world = await openMoneyWorld(seed, AGENTS)
    try {
      console.log(`money moves seed ${seed}`)
      console.log(await proveMoves(world, MOVES, MET_AT_LENGTH))
    } finally {
      await world.close()
    }
    seed++
  } while (performance.now() < deadlineMs)
  expect(seed).toBeGreaterThan(SEED)
})
