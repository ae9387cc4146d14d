import { listNegativeWallets } from '@batua/contract'
import { beforeEach, expect } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { SYSTEM } from '../../ledger/index.ts'
import { service } from '../../operations/facts.ts'
import { changeAgent, fund, order, post } from '../../testing/builders.ts'
import { holdOn, intent } from '../../testing/escrows.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { clock, database, db, node, test } from '../../testing/ledger-test.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../testing/paying-out.ts'
import { scriptedPayouts } from '../../testing/scripted-payouts.ts'
import { withdrawCommand } from '../banking/payouts/withdraw.ts'
import { readBalance } from '../payments/balance.ts'
import { readNegativeWallets } from './list-negative-wallets.ts'
import { sumNegativeWallets } from './negative-wallets-store.ts'

const fits = responseCheck(listNegativeWallets)
let people: PayoutNetwork
let seller: Uuid

test.beforeAll(async () => {
  people = await openPayoutNetwork(db, clock)
  seller = await people.agent()
})

beforeEach(() => clock.advance(HOUR_MS))

/** The agent spends its funding, which is then charged back: its balance is minus what it paid. */
async function debtor(amount: bigint): Promise<Uuid> {
  const id = await people.agent()
  await changeAgent(database, id, { key_hash: order(id, seller, amount).keyHash })
  await fund(node.ledger, id, amount + 100n)
  await node.pay(order(id, seller, amount))
  await takeBack(id, amount)
  return id
}

async function takeBack(id: Uuid, amount: bigint): Promise<void> {
  await post(node.ledger, [id], {
    ...{ kind: 'chargeback', debit: id, credit: SYSTEM.gateway },
    amountPaise: paise(amount),
  })
}

async function list(query: Parameters<typeof readNegativeWallets>[1] = {}) {
  const response = await readNegativeWallets(db, query)
  fits(response)
  return response
}

test('a wallet with a negative balance after a chargeback cannot send money in any way until it is positive', async () => {
  const wallet = await debtor(10_000n)
  const pay = (amount: bigint) => node.pay(order(wallet, seller, amount))
  const hold = (amount: bigint) => holdOn(node, intent(wallet, amount))
  const withdraw = (amountPaise: bigint | null) => {
    const wanted = amountPaise === null ? null : paise(amountPaise)
    const command = withdrawCommand(
      { payoutProvider: scriptedPayouts() },
      {
        agentId: wallet,
        amountPaise: wanted,
        requestKey: null,
        idempotencyKey: null,
        actor: service('test'),
      },
    )
    return node.ledger.submit(command)
  }
  const refuseAll = async () => {
    for (const sent of [pay(1n), hold(1n), withdraw(100n), withdraw(null)]) {
      expect((await refusalOf(sent)).code).toBe('insufficient_balance')
    }
  }
  await refuseAll()
  const { network } = people
  const caller = { kind: 'platform', platformId: people.platformId } as const
  const available = async () =>
    (await readBalance(network.database, caller, formatId('agt', wallet))).available
  expect(await available()).toBe(-100)

  await fund(node.ledger, wallet, 10_000n)
  expect(await available()).toBe(0)
  await refuseAll()

  await fund(node.ledger, wallet, 1_101n)
  await pay(1n)
  await hold(500n)
  await withdraw(500n)
  expect(await available()).toBe(0)
})

test('wallets with a negative balance are listed, newest chargeback first, until they are funded again', async () => {
  const before = await sumNegativeWallets(database)
  const first = await debtor(10_000n)
  clock.advance(HOUR_MS)
  const second = await debtor(20_000n)
  const names = async () => (await list()).wallets.map(({ agent_id }) => agent_id)
  expect((await list()).wallets[0]).toMatchObject({
    agent_id: formatId('agt', second),
    agent_name: 'Test agent',
    platform_id: formatId('plt', people.platformId),
    balance: -200,
    reversed_at: clock.now().toISOString(),
  })
  expect((await names()).slice(0, 2)).toEqual([formatId('agt', second), formatId('agt', first)])
  expect(await sumNegativeWallets(database)).toEqual({
    count: before.count + 2n,
    owedPaise: before.owedPaise + 30_000n,
  })

  const { wallets, pagination } = await list({ limit: 1 })
  expect(pagination).toMatchObject({ total: Number(before.count) + 2, limit: 1 })
  const next = await list({ limit: 1, cursor: pagination.next_cursor ?? '' })
  expect([...wallets, ...next.wallets]).toMatchObject([{ balance: -200 }, { balance: -100 }])
  expect((await list({ limit: 1, offset: 1 })).wallets).toMatchObject([{ balance: -100 }])

  clock.advance(HOUR_MS)
  await takeBack(first, 500n)
  expect((await names()).slice(0, 2)).toEqual([formatId('agt', first), formatId('agt', second)])
  await fund(node.ledger, first, 10_500n)
  await fund(node.ledger, second, 20_001n)
  expect(await sumNegativeWallets(database)).toEqual(before)
})

test('a wallet that a deposit brings to exactly zero is no longer listed', async () => {
  const wallet = await debtor(10_000n)
  await fund(node.ledger, wallet, 10_000n)
  expect((await list()).wallets.map(({ agent_id }) => agent_id)).not.toContain(formatId('agt', wallet))
})
