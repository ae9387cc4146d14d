import { expect } from 'vitest'
import type { Uuid } from '../kernel/ids.ts'
import * as builders from './builders.ts'
import { test as base, database, OF_FILE } from './database-test.ts'
import { manualClock } from './manual-clock.ts'

export { database, db } from './database-test.ts'

/** Noon on a Friday in India. */
const NOON = new Date('2026-11-20T06:30:00.000Z')

/** It shows noon when a file begins. */
export const clock = manualClock(NOON)

/** A posting engine on the file's database. */
export let node: builders.TestNode

/** Tests on a ledger. At the end it is balanced, and no batch of it broke. */
export const test = base.extend('node', OF_FILE, async ({ db }, { onCleanup }) => {
  clock.set(NOON)
  node = builders.startNode({ database: db.database, clock })
  onCleanup(async () => {
    await builders.expectBalanced(database)
    expect(node.broken).toEqual([])
    await node.ledger.close()
  })
  return node
})

/** An agent with an empty wallet, at the clock's time. */
export function newUnfundedAgent(columns: builders.AgentColumns = {}): Promise<Uuid> {
  return builders.insertAgent(database, clock.now(), columns)
}

export function newFundedAgent(paise: bigint, columns: builders.AgentColumns = {}): Promise<Uuid> {
  return builders.insertFundedAgent(node.ledger, database, clock, paise, columns)
}
