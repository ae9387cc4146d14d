import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced, startNode, type TestNode } from '../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { raceFreeze } from '../../testing/freeze-race.ts'

const TRIES = 1_000
const AT_ONCE = 10

const clock = systemClock()
let db: TestDatabase
let second: Database
let nodes: readonly TestNode[]

beforeAll(async () => {
  db = await createTestDatabase()
  second = openDatabase(db.url)
  nodes = [db.database, second].map(database => startNode({ database, clock }))
})

afterAll(async () => {
  await expectBalanced(db.database)
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
  await db.drop()
})

test('once a freeze is committed, nothing more is paid, a thousand times', async () => {
  for (let tried = 0; tried < TRIES; tried += AT_ONCE) {
    const races = await Promise.all(
      Array.from({ length: AT_ONCE }, () => raceFreeze(nodes, db.database, clock, 8)),
    )
    for (const { sequenceAtFreeze, sequenceAfter, late, sentLate } of races) {
      expect(sequenceAfter).toBe(sequenceAtFreeze)
      expect(late).toEqual(Array.from({ length: sentLate }, () => 'Agent is frozen'))
    }
  }
})
