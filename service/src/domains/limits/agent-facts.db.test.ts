import { afterAll, describe, expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { changeAgent, insertFundedAgent, order, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'

const clock = systemClock()
let node: TestNode
let other: TestNode

test.beforeAll(async () => {
  node = startNode({ database, clock })
  other = startNode({ database, clock })
})

afterAll(async () => {
  await Promise.all([node.ledger.close(), other.ledger.close()])
})

const newWallet = () => insertFundedAgent(node.ledger, database, clock, 1_000_000n)

describe('the next payment on every node', () => {
  test('the next payment on every node sees a changed agent state, of the payer and of the payee', async () => {
    const [payer, payee] = [await newWallet(), await newWallet()]
    for (const each of [node, other]) await each.pay(order(payer, payee, 100n))
    await changeAgent(database, payer, { status: 'paused' })
    for (const each of [node, other]) {
      await expect(each.pay(order(payer, payee, 100n))).rejects.toMatchObject({ message: 'Agent is paused' })
      await expect(each.pay(order(payee, payer, 100n))).rejects.toMatchObject({ code: 'validation_error' })
    }
    await changeAgent(database, payer, { status: 'active' })
    for (const each of [node, other]) await each.pay(order(payer, payee, 100n))
  })

  test('the next payment on every node sees a rotated agent key', async () => {
    const [payer, payee] = [await newWallet(), await newWallet()]
    for (const each of [node, other]) await each.pay(order(payer, payee, 100n))
    const keyHash = hashSecret('rotated')
    await changeAgent(database, payer, { key_hash: keyHash })
    for (const each of [node, other]) {
      await expect(each.pay(order(payer, payee, 100n))).rejects.toMatchObject({
        code: 'authentication_error',
      })
      await each.pay(order(payer, payee, 100n, { keyHash }))
    }
  })

  test('the next payment on every node sees changed limits and payee lists', async () => {
    const [payer, payee, stranger] = [await newWallet(), await newWallet(), await newWallet()]
    for (const each of [node, other]) await each.pay(order(payer, payee, 100n))
    await changeAgent(database, payer, {
      spend_limit_per_tx_paise: 50n,
      allowed_payees: [payee],
      blocked_payee_agents: [stranger],
    })
    for (const each of [node, other]) {
      await expect(each.pay(order(payer, payee, 51n))).rejects.toMatchObject({ code: 'spend_limit_exceeded' })
      await expect(each.pay(order(payer, stranger, 50n))).rejects.toMatchObject({ message: /blocks/ })
      await each.pay(order(payer, payee, 50n))
    }
  })
})

test('agents that a full policy cache evicted are read again and not treated as unknown', async () => {
  const tiny = startNode({ database, clock }, 1)
  const wallets = await Promise.all(Array.from({ length: 4 }, newWallet))
  for (const payer of wallets) {
    for (const payee of wallets) {
      if (payer !== payee) await tiny.pay(order(payer, payee, 100n))
    }
  }
  await Promise.all(
    wallets.flatMap(payer =>
      wallets.filter(payee => payee !== payer).map(payee => tiny.pay(order(payer, payee, 100n))),
    ),
  )
  await tiny.ledger.close()
})
