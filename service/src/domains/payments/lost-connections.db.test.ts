import { expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced } from '../../testing/builders.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { liesTold, payWhileConnectionsDie } from '../../testing/lost-connections.ts'

const ROUNDS = 60

test('connections that die at any moment make no payer hear what is not so', async () => {
  const db = await createTestDatabase()
  const told = await payWhileConnectionsDie(db, systemClock(), round => round < ROUNDS)
  expect(await liesTold(db.database, told)).toEqual([])
  expect(told.unknown.size).toBe(0)
  expect(told.done.size).toBeGreaterThan(0)
  expect(told.kills).toBeGreaterThan(0)
  await expectBalanced(db.database)
  await db.drop()
})
