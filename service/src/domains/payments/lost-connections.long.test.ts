import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced } from '../../testing/builders.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { LONG_SECONDS } from '../../testing/knobs.ts'
import { liesTold, payWhileConnectionsDie } from '../../testing/lost-connections.ts'

test('connections that die at any moment make no payer hear what is not so, at length', async () => {
  const db = await createTestDatabase()
  const deadlineMs = performance.now() + LONG_SECONDS * 1_000
  const told = await payWhileConnectionsDie(db, systemClock(), () => performance.now() < deadlineMs)
  expect(await liesTold(db.database, told)).toEqual([])
  expect(told.unknown.size).toBe(0)
  await expectBalanced(db.database)
  console.log(
    `${told.kills} connections ended; ${told.done.size} payments done, ${told.refused.size} refused`,
  )
  await db.drop()
})
