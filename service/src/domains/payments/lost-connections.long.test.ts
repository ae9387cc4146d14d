import { expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced } from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { LONG_SECONDS } from '../../testing/knobs.ts'
import { payWhileConnectionsDie, wrongResponses } from '../../testing/lost-connections.ts'

test('when connections break at any moment, no payer gets a wrong response, at length', async () => {
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  const results = await payWhileConnectionsDie(db, systemClock(), () => performance.now() < deadlineMs)
  expect(await wrongResponses(database, results)).toEqual([])
  expect(results.unknown.size).toBe(0)
  await expectBalanced(database)
  console.log(
    `${results.kills} connections ended; ${results.done.size} payments done, ${results.refused.size} refused`,
  )
})
