import { expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced } from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { payWhileConnectionsDie, wrongResponses } from '../../testing/lost-connections.ts'

const ROUNDS = 25
const MOST_ROUNDS = 2_000

test('when connections break at any moment, no payer gets a wrong response', async () => {
  const results = await payWhileConnectionsDie(
    db,
    systemClock(),
    (round, done) => round < ROUNDS || (done === 0 && round < MOST_ROUNDS),
  )
  expect(await wrongResponses(database, results)).toEqual([])
  expect(results.unknown.size).toBe(0)
  expect(results.done.size).toBeGreaterThan(0)
  expect(results.kills).toBeGreaterThan(0)
  await expectBalanced(database)
})
