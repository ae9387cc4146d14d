import { expect } from 'vitest'
import { formatId, newUuid } from '../kernel/ids.ts'
import { TEST_VAULT } from '../testing/database.ts'
import { database, test } from '../testing/database-test.ts'
import { factsIn } from '../testing/facts.ts'
import { queuedCommits } from '../testing/queued-leaves.ts'
import { type Fact, recordFacts, service } from './facts.ts'

const NOW = new Date('2026-11-23T10:00:00.000Z')
const PLATFORM = newUuid(NOW)
const TARGET = formatId('plt', PLATFORM)
const FACT: Fact = {
  agentId: null,
  actor: service('test'),
  action: 'platform.updated',
  target: TARGET,
  data: { name: 'changed' },
  events: [{ name: 'webhook.test', platformId: PLATFORM, data: { platform_id: TARGET } }],
}

async function written(): Promise<readonly number[]> {
  const events = await database.query('select from events')
  return [(await factsIn(database)).length, (await queuedCommits(database)).flat().length, events.length]
}

function recorded(facts: readonly Fact[], versions: number): Promise<void> {
  const changed = Array.from({ length: versions }, (_, index) => newUuid(new Date(NOW.getTime() + index)))
  const rows = changed.map(id => ({ row: `platforms/${id}`, id, version: 2 }))
  return database.inTransaction(tx => recordFacts(tx, TEST_VAULT, NOW, facts, rows))
}

test('a fact leaves its entry, the leaf of it and its events in one commit', async () => {
  await recorded([FACT], 1)
  expect(await written()).toEqual([1, 1, 1])
})

test('a changed row that no fact records is refused, and nothing is written', async () => {
  const before = await written()
  await expect(recorded([], 1)).rejects.toThrow('every changed row has a fact')
  await expect(recorded([FACT], 2)).rejects.toThrow('every changed row has a fact')
  expect(await written()).toEqual(before)
})
