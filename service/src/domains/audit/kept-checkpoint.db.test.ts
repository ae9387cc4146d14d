import { expect } from 'vitest'
import { clock, database, test } from '../../testing/ledger-test.ts'
import { openKeptCheckpoint } from './kept-checkpoint.ts'
import { selectTree } from './store.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'

let stage: LogStage
/** A checkpoint of entries that were lost. */
let lost: string
const note = async () => (await selectTree(database))?.checkpoint ?? ''
const sizeOf = (checkpoint: string) => Number(checkpoint.split('\n')[1])

test.beforeAll(async () => {
  stage = await openLogStage(database, clock)
  await recordSome(stage, 300)
  await integrateAll(stage)
})

test('a checkpoint that was kept is continued by a log that has grown since', async () => {
  const kept = await note()
  await recordSome(stage, 5)
  await integrateAll(stage)
  expect(await openKeptCheckpoint(stage, kept)).toEqual({ kind: 'continued', size: sizeOf(kept) })
})

test('a log that has fewer entries than a kept checkpoint was rolled back by the difference', async () => {
  const before = await database.query('select * from audit_tree')
  const tiles = await database.query('select level, tile, hashes, ids, min_id, max_id from audit_tiles')
  await recordSome(stage, 7)
  await integrateAll(stage)
  lost = await note()
  await database.query('delete from audit_tiles')
  for (const tile of tiles) {
    await database.query(
      'insert into audit_tiles (level, tile, hashes, ids, min_id, max_id) values ($1, $2, $3, $4, $5, $6)',
      Object.values(tile),
    )
  }
  const [tree] = before as { size: bigint; checkpoint: string }[]
  await database.query('update audit_tree set size = $1, checkpoint = $2', [tree?.size, tree?.checkpoint])
  const size = sizeOf(lost)
  expect(await openKeptCheckpoint(stage, lost)).toEqual({ kind: 'rolled_back', size, missing: 7 })
  await recordSome(stage, 3)
  expect(await openKeptCheckpoint(stage, lost)).toEqual({ kind: 'rolled_back', size, missing: 4 })
})

test('a rolled back log that has grown beyond a kept checkpoint is another log', async () => {
  await recordSome(stage, 9)
  await integrateAll(stage)
  expect(await openKeptCheckpoint(stage, lost)).toEqual({ kind: 'another_log', size: sizeOf(lost) })
})

test('a checkpoint that no key of the service has signed says nothing about the log', async () => {
  const forged = (await note()).replace(/^(\S+\n)\d+/, '$14711')
  expect(await openKeptCheckpoint(stage, forged)).toEqual({ kind: 'not_signed' })
  expect(await openKeptCheckpoint(stage, '{}')).toEqual({ kind: 'not_signed' })
})
