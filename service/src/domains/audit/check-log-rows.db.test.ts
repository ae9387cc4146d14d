import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Queryable } from '../../db/database.ts'
import { FIRST_UUID, formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { queueLeaves } from '../../operations/fact-store.ts'
import { database, test } from '../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import { checkRows } from './check-log-leaves.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

const FACTS = 6
const PAYMENTS_BETWEEN = 600
const UUID_LENGTH = 36
let clock: ManualClock
let stage: LogStage
const facts: Uuid[] = []

/** Leaves of payments that are not stored: these tests are about entries with many leaves between them. */
async function queuePayments(count: number): Promise<void> {
  const leaves = Array.from({ length: count }, () => ({
    id: newUuid(clock.now()),
    hash: randomBytes(32).toString('hex'),
  }))
  await database.inTransaction(tx => queueLeaves(tx, stage.vault, leaves))
}

test.beforeAll(async () => {
  clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  stage = await openLogStage(database, clock)
  await database.query('delete from audit_queue; delete from audit_entries')
  for (let fact = 0; fact < FACTS; fact++) {
    clock.advance(1_000)
    facts.push(...(await recordSome(stage, 1)))
    clock.advance(1_000)
    await queuePayments(PAYMENTS_BETWEEN)
    await integrateAll(stage)
  }
})

/** The ends of all slices with this many tiles each, and the faults they found. */
async function walk(tx: Queryable, tilesAtOnce: number): Promise<{ ends: Uuid[]; faults: string[] }> {
  const ends: Uuid[] = []
  const faults: string[] = []
  for (let after = FIRST_UUID; ; ) {
    const checked = await checkRows(tx, 'entries', after, 100, tilesAtOnce)
    faults.push(...checked.faults.map(({ subject, kind }) => `${subject} ${kind}`))
    if (checked.last === null) return { ends, faults }
    ends.push(checked.last)
    after = checked.last
  }
}

test('the check of entries that are far apart in the tree reads only their own leaves from the database', async () => {
  let characters = 0
  const counted: Queryable = {
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      const rows = await database.query<Row>(text, values)
      characters += JSON.stringify(rows).length
      return rows
    },
  }
  expect((await walk(counted, 500)).faults).toEqual([])
  expect(characters).toBeGreaterThan(2 * FACTS * UUID_LENGTH)
  expect(characters).toBeLessThan(PAYMENTS_BETWEEN * UUID_LENGTH)
})

test('a slice ends where too many tiles are between its entries, and slices of any size find the same faults', async () => {
  expect(await walk(database, 500)).toEqual({ ends: [], faults: [] })
  const { ends, faults } = await walk(database, 1)
  expect(ends).toEqual(facts.slice(0, -1))
  expect(faults).toEqual([])
  const [, second, , fourth] = facts
  await database.query(
    `update audit_tiles set ids = array_replace(ids, $1::uuid, $2::uuid), min_id = least(min_id, $2::uuid)
     where level = 0 and ids @> array[$1::uuid]`,
    [fourth, second],
  )
  const found = [
    `${formatId('aud', second ?? '')} doubled_leaf`,
    `${formatId('aud', fourth ?? '')} not_in_log`,
  ]
  expect((await walk(database, 1)).faults).toEqual(found)
  expect((await walk(database, 500)).faults).toEqual(found)
})
