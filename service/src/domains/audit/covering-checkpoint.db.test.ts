import { parseCheckpoint } from '@batua/verification/checkpoint'
import { beforeEach, expect } from 'vitest'
import { formatId } from '../../kernel/ids.ts'
import { keepTables } from '../../testing/column-changes.ts'
import { database, test } from '../../testing/database-test.ts'
import { openCoveringCheckpoint } from './covering-checkpoint.ts'
import { openIntegrator } from './integrator.ts'
import { integrateAll, type LogStage, openLogStage, recordSome } from './testing/log-stage.ts'
import { verifyEntry } from './verify-entry.ts'

let stage: LogStage
let putBack: () => Promise<void>

test.beforeAll(async () => {
  stage = await openLogStage(database)
  await recordSome(stage, 10)
  await integrateAll(stage)
  putBack = await keepTables(database, [
    'audit_entries',
    'audit_tiles',
    'audit_tree',
    'audit_queue',
    'audit_refused',
  ])
})

beforeEach(() => putBack())

test('a checkpoint covers every entry that was committed before it was asked for', async () => {
  const covering = openCoveringCheckpoint(stage)
  for (const count of [1, 3, 300]) {
    const ids = await recordSome(stage, count)
    const size = parseCheckpoint((await covering()) ?? '')?.size ?? 0
    const caller = { kind: 'admin', phone: '9876543210', sessionId: '' } as const
    const last = formatId('aud', ids.at(-1) ?? '')
    const { leaf_index } = await verifyEntry(stage, openIntegrator(stage), caller, last)
    expect(leaf_index).not.toBeNull()
    expect(leaf_index).toBeLessThan(size)
  }
})

test('without new entries the checkpoint stays the same', async () => {
  const covering = openCoveringCheckpoint(stage)
  expect(await covering()).toBe(await covering())
})

test('there is none while the log cannot be extended, or its checkpoint is not this service’s', async () => {
  const covering = openCoveringCheckpoint(stage)
  await database.query(`update audit_tiles set hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1)`, [])
  await recordSome(stage, 1)
  expect(await covering()).toBeNull()
  await putBack()
  await database.query(`update audit_tree set checkpoint = replace(checkpoint, 'batua', 'other')`, [])
  expect(await covering()).toBeNull()
})
