import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced, startNode } from '../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { expectStopped } from '../../testing/expect-stopped.ts'
import { networkContext } from '../../testing/network.ts'
import { openStopStage, STOPS, type StopName, type StopStage } from '../../testing/stop-race.ts'

const clock = systemClock()
let db: TestDatabase
let second: Database
let stage: StopStage

beforeAll(async () => {
  db = await createTestDatabase()
  second = openDatabase(db.url)
  const nodes = [startNode({ database: db.database, clock }), startNode({ database: second, clock })] as const
  const { ledger } = nodes[0]
  stage = await openStopStage(nodes, { ...networkContext(db.database, clock), ledger })
})

afterAll(async () => {
  await expectBalanced(db.database)
  // Locks are taken in one order by all, so nothing ever had to be tried again.
  expect(stage.nodes.flatMap(({ broken }) => broken)).toEqual([])
  await Promise.all(stage.nodes.map(({ ledger }) => ledger.close()))
  await second.close()
  await db.drop()
})

test.each(Object.keys(STOPS) as StopName[])(
  'once a %s is answered, nothing more is paid, a thousand times',
  async name => {
    await expectStopped(stage, name, { tries: 1_000, atOnce: 10, payments: 8 })
  },
)
