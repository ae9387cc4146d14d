import { expect } from 'vitest'
import type { Database } from '../db/database.ts'
import type { Uuid } from '../kernel/ids.ts'

/** The ids of the queued leaves by commit, oldest first. */
export async function queuedCommits(database: Database): Promise<Uuid[][]> {
  const rows = await database.query<{ ids: Uuid[] }>(
    'select array_to_json(ids) as ids from audit_queue order by id',
  )
  return rows.map(({ ids }) => ids)
}

/** Fails unless every audit event and every payment has one leaf, and every leaf has an entry. */
export async function expectLeafOfEach(database: Database): Promise<void> {
  const facts = await database.query<{ id: Uuid }>(
    `select id from audit_entries union all select id from transfers where kind = 'payment' order by id`,
  )
  const leaves = await queuedCommits(database)
  expect(leaves.flat().toSorted()).toEqual(facts.map(({ id }) => id))
}
