import { afterAll, expect } from 'vitest'
import { asService, onBehalfOf } from '../db/database.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import {
  balanceOf,
  expectBalanced,
  fund,
  insertAgent,
  startNode,
  type TestNode,
} from '../testing/builders.ts'
import { database, test } from '../testing/database-test.ts'

const clock = systemClock()
let wallets: Uuid[]
let stranger: Uuid

test.beforeAll(async () => {
  wallets = await Promise.all(Array.from({ length: 400 }, () => insertAgent(database, clock.now())))
  stranger = await insertAgent(database, clock.now())
})

afterAll(async () => {
  await expectBalanced(database)
})

const as = <T>(party: string, work: () => Promise<T>): Promise<T> =>
  onBehalfOf({ purpose: 'shared', party }, work)

/** Submits many fundings at once on behalf of one party. */
function crowdOf(node: TestNode, party: string, count: number): Promise<PromiseSettledResult<unknown>[]> {
  const works = Array.from({ length: count }, (_, at) =>
    as(party, () => fund(node.ledger, wallets[at % wallets.length] ?? '', 1n)),
  )
  return Promise.allSettled(works)
}

const REFUSED = {
  status: 'rejected',
  reason: { code: 'service_unavailable', status: 503, headers: { 'retry-after': '1' } },
}

test('a party’s first command waits for at most two batches, however many commands another party has queued', async () => {
  let batches = 0
  // One committer: with two, any number of the other's short batches may end during a long one.
  const node = startNode({ database, clock, committers: 1, maxBatch: 100, onBatch: () => batches++ })
  const crowd = crowdOf(node, 'crowd', 4_000)
  await as('stranger', () => fund(node.ledger, stranger, 1n))
  // An earlier batch may still run, and the command's own batch ends with it.
  expect(batches).toBeLessThanOrEqual(2)
  expect(node.ledger.queued()).toBeGreaterThan(3_000)
  expect((await crowd).every(({ status }) => status === 'fulfilled')).toBe(true)
  await node.ledger.close()
})

test('a party that fills its part of the queue is refused with 503, while other parties and the service are served', async () => {
  const node = startNode({ database, clock, maxQueued: 400, maxBatch: 20 })
  const before = await balanceOf(database, stranger)
  const crowd = crowdOf(node, 'crowd', 150)
  const more = crowdOf(node, 'another crowd', 100)
  const others = [
    as('stranger', () => fund(node.ledger, stranger, 1n)),
    asService(() => fund(node.ledger, stranger, 1n)),
  ]
  expect(node.ledger.queued()).toBe(202)
  await Promise.all(others)
  const outcomes = await crowd
  expect(outcomes.slice(0, 100).every(({ status }) => status === 'fulfilled')).toBe(true)
  for (const outcome of outcomes.slice(100)) expect(outcome).toMatchObject(REFUSED)
  expect((await more).every(({ status }) => status === 'fulfilled')).toBe(true)
  expect(await balanceOf(database, stranger)).toBe(before + 2n)
  // Commands that left the queue no longer count.
  expect((await crowdOf(node, 'crowd', 100)).every(({ status }) => status === 'fulfilled')).toBe(true)
  await node.ledger.close()
})
