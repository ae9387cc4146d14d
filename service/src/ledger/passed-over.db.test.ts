import { afterAll, expect } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import {
  balanceOf,
  expectBalanced,
  fund,
  insertFundedAgent,
  order,
  startNode,
  type TestNode,
} from '../testing/builders.ts'
import { database, test } from '../testing/database-test.ts'
import { lockForChange } from './accounts.ts'

const clock = systemClock()
let node: TestNode
let [changed, stranger, payee]: Uuid[] = []

test.beforeAll(async () => {
  node = startNode({ database, clock })
  ;[changed, stranger, payee] = await Promise.all(
    [1, 2, 3].map(() => insertFundedAgent(node.ledger, database, clock, 1_000n)),
  )
})

afterAll(async () => {
  await node.ledger.close()
  await expectBalanced(database)
})

const idOf = (id: Uuid | undefined): Uuid => id ?? ''

/** A change of an agent that keeps its account's lock until `end` is called; `end(error)` rolls it back. */
async function startChange(id: Uuid) {
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  const change = database.inTransaction(async tx => {
    await lockForChange(tx, [id])
    lock()
    await ended
  })
  await locked
  return { change, end: (error?: Error) => (error === undefined ? resolve() : reject(error)) }
}

test('payments of other accounts do not wait for an account that is being changed, whose own payments run right after the change', async () => {
  const { change, end } = await startChange(idOf(changed))
  const held = [
    node.pay(order(idOf(changed), idOf(payee), 10n)),
    node.pay(order(idOf(payee), idOf(changed), 10n)),
  ]
  for (let round = 0; round < 3; round++) await node.pay(order(idOf(stranger), idOf(payee), 1n))
  expect(node.ledger.queued()).toBe(2)
  end()
  await change
  expect(await Promise.all(held)).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
})

test('payments that waited for a change run after it was rolled back', async () => {
  const { change, end } = await startChange(idOf(changed))
  const held = node.pay(order(idOf(changed), idOf(payee), 10n))
  await fund(node.ledger, idOf(stranger), 1n)
  expect(node.ledger.queued()).toBe(1)
  end(new Error('it is not to be'))
  await expect(change).rejects.toThrow('it is not to be')
  await held
})

test('payments that waited for a change run after its connection broke', async () => {
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const change = database.inTransaction(async tx => {
    await lockForChange(tx, [idOf(changed)])
    lock()
    await tx.query('select pg_sleep(60)')
  })
  await locked
  const held = node.pay(order(idOf(changed), idOf(payee), 10n))
  await fund(node.ledger, idOf(stranger), 1n)
  expect(node.ledger.queued()).toBe(1)
  const broken = expect(change).rejects.toMatchObject({ name: 'DatabaseUnavailable' })
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query = 'select pg_sleep(60)'`,
  )
  await broken
  await held
})

test('a payment that waits too long for a change is refused with 503 and is not posted', async () => {
  const hasty = startNode({ database, clock, maxPassedOverSeconds: 0.02 })
  const { change, end } = await startChange(idOf(changed))
  const before = await balanceOf(database, idOf(changed))
  const held = [1n, 2n].map(amount => hasty.pay(order(idOf(changed), idOf(payee), amount)))
  const closed = hasty.ledger.close()
  for (const payment of held) {
    await expect(payment).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'retry-after': '1' },
    })
  }
  await closed
  end()
  await change
  expect(await balanceOf(database, idOf(changed))).toBe(before)
})

test('a payment that arrives between two changes runs before the second one ends', async () => {
  const state = { stop: false }
  const changing = Array.from({ length: 2 }, async () => {
    while (!state.stop) {
      const turns = [idOf(changed)]
      await database.inTransaction(tx => lockForChange(tx, [idOf(changed)]), { turns })
    }
  })
  for (let round = 0; round < 5; round++) await node.pay(order(idOf(changed), idOf(payee), 1n))
  state.stop = true
  await Promise.all(changing)
})

test('close waits for commands that a change keeps in the queue', async () => {
  const closing = startNode({ database, clock })
  const { change, end } = await startChange(idOf(changed))
  const held = closing.pay(order(idOf(changed), idOf(payee), 1n))
  const closed = closing.ledger.close()
  end()
  await Promise.all([change, held, closed])
})
