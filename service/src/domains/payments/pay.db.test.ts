import { afterAll, expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { expectBalanced, insertFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'

const clock = systemClock()
let node: TestNode

test.beforeAll(async () => {
  node = startNode({ database, clock })
})

afterAll(async () => {
  await node.ledger.close()
})

async function newPair(payerHas: bigint) {
  const payer = await insertFundedAgent(node.ledger, database, clock, payerHas)
  const payee = await insertFundedAgent(node.ledger, database, clock, 1n)
  return { payer, payee }
}

test('a payment moves the amount, takes the fee from the payer, and keeps the ledger balanced', async () => {
  const { payer, payee } = await newPair(100_000n)
  const asked = order(payer, payee, 40_000n, { idempotencyKey: 'k"\\1', note: 'a\nb' })
  const result = await node.pay(asked)
  expect(result).toMatchObject({ status: 'completed', from_balance: 598, cost: 2 })
  await expect(node.pay(asked)).rejects.toMatchObject({
    code: 'idempotency_error',
    details: { payment_id: result.payment_id },
  })
  await expectBalanced(database)
})

test('two hundred concurrent payments never overdraw a wallet', async () => {
  const { payer, payee } = await newPair(100_000n)
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => node.pay(order(payer, payee, 1_000n))),
  )
  expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(90)
  await expectBalanced(database)
})
