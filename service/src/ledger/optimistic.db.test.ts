import { afterAll, describe, expect } from 'vitest'
import { type Database, haveFactsChanged, openDatabase } from '../db/database.ts'
import { AlteredRow } from '../db/row-mac.ts'
import { evaluateCommand } from '../domains/payments/evaluate.ts'
import type { AppError } from '../kernel/app-error.ts'
import { assert } from '../kernel/assert.ts'
import type { Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { approvalOf, approve } from '../testing/approving.ts'
import {
  balanceOf,
  changeAgent,
  expectBalanced,
  fund,
  insertAgent,
  insertFundedAgent,
  order,
  outcomesOf,
  startNode,
  type TestNode,
} from '../testing/builders.ts'
import { database, db, test } from '../testing/database-test.ts'
import { held, intent, releaseOn } from '../testing/escrows.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { lockBatch } from './accounts.ts'
import type { BatchPath } from './committer.ts'
import { openOptimism } from './optimistic.ts'
import { copyOf, SEEN, updateUnchanged } from './seen-accounts.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
/** How this node decided its batches. */
let paths: BatchPath[] = []
let second: Database
let node: TestNode
let other: TestNode

test.beforeAll(async () => {
  second = openDatabase(db.url)
  const onBatch = (_commands: number, _seconds: number, how: BatchPath) => void paths.push(how)
  node = startNode({ database, clock, optimism: 'always', onBatch })
  other = startNode({ database: second, clock, optimism: 'never' })
})

afterAll(async () => {
  await expectBalanced(database)
  await Promise.all([node, other].map(({ ledger }) => ledger.close()))
  await second.close()
})

/** A payer with 100 INR and a payee, both known to this node. */
async function knownWallets(): Promise<readonly [payer: Uuid, payee: Uuid]> {
  const payer = await insertFundedAgent(node.ledger, database, clock, 10_000n)
  const payee = await insertAgent(database, clock.now())
  await node.pay(order(payer, payee, 100n))
  paths = []
  return [payer, payee]
}

test('a payment between wallets that this node saw last is decided without reading them', async () => {
  const [payer, payee] = await knownWallets()
  await node.pay(order(payer, payee, 100n, { idempotencyKey: 'a', reference: 'b', uniqueReference: true }))
  await node.pay(order(payee, payer, 50n))
  expect(paths).toEqual(['optimistic', 'optimistic'])
  expect(await balanceOf(database, payee)).toBe(50n)
})

/** What another node does between two payments of this one, and the code with which this node then refuses. */
const OVERTAKING: Record<string, readonly [(payer: Uuid, payee: Uuid) => Promise<unknown>, code: string]> = {
  'spent the money': [(payer, payee) => other.pay(order(payer, payee, 9_600n)), 'insufficient_balance'],
  'stopped the payer': [payer => changeAgent(second, payer, { status: 'frozen' }), 'policy_denied'],
  'stopped the payee': [(_, payee) => changeAgent(second, payee, { status: 'frozen' }), 'validation_error'],
  'lowered a limit': [
    payer => changeAgent(second, payer, { spend_limit_per_tx_paise: 99n }),
    'spend_limit_exceeded',
  ],
  'replaced the key': [
    payer => changeAgent(second, payer, { key_hash: Buffer.alloc(32, 1) }),
    'authentication_error',
  ],
  'used the idempotency key': [
    (payer, payee) => other.pay(order(payer, payee, 100n, { idempotencyKey: 'key' })),
    'idempotency_error',
  ],
  'asked for approval with the idempotency key': [
    (payer, payee) => other.pay(order(payer, payee, 100n, { idempotencyKey: 'key', asksOwner: true })),
    'idempotency_error',
  ],
  'used the reference': [
    (payer, payee) => other.pay(order(payer, payee, 100n, { reference: 'ref' })),
    'conflict',
  ],
  'asked for approval with the reference': [
    (payer, payee) => other.pay(order(payer, payee, 100n, { reference: 'ref', asksOwner: true })),
    'conflict',
  ],
}

describe('a payment is decided again under its locks, and refused, if another node', () => {
  test.each(Object.entries(OVERTAKING))('%s', async (_, [overtake, code]) => {
    const [payer, payee] = await knownWallets()
    await overtake(payer, payee)
    const balance = await balanceOf(database, payer)
    const wanted = { idempotencyKey: 'key', reference: 'ref', uniqueReference: true }
    await expect(node.pay(order(payer, payee, 100n, wanted))).rejects.toMatchObject({ code })
    expect(paths).toEqual(['overtaken'])
    expect(await balanceOf(database, payer)).toBe(balance)
  })
})

test('a payment that was refused is made after another node funded the wallet', async () => {
  const [payer, payee] = await knownWallets()
  const wanted = order(payer, payee, 50_000n)
  await expect(node.pay(wanted)).rejects.toMatchObject({ code: 'insufficient_balance' })
  await fund(other.ledger, payer, 100_000n)
  await node.pay(wanted)
  expect(paths.at(-1)).toBe('overtaken')
})

test('a release by another node counts towards the limits on payees of the next payment', async () => {
  const [payer, payee] = await knownWallets()
  await changeAgent(database, payer, { max_counterparties_per_hour: 2 })
  await node.pay(order(payer, payee, 100n))
  const escrow = await held(database, other, intent(payer, 100n))
  await node.pay(order(payer, payee, 100n))
  await releaseOn(other, escrow, await insertAgent(database, clock.now()))
  const third = await insertAgent(database, clock.now())
  await expect(node.pay(order(payer, third, 100n))).rejects.toMatchObject({ code: 'spend_limit_exceeded' })
})

test('an account that was altered in the database is not used', async () => {
  const [payer, payee] = await knownWallets()
  await database.query('update accounts set balance_paise = balance_paise + 1 where id = $1', [payer])
  await expect(node.pay(order(payer, payee, 100n))).rejects.toBeInstanceOf(AlteredRow)
  await database.query('update accounts set balance_paise = balance_paise - 1 where id = $1', [payer])
  await node.pay(order(payer, payee, 100n))
})

test('a dry run is decided without locks and without a write, on what is true at that moment', async () => {
  const [payer, payee] = await knownWallets()
  const dryRun = () =>
    node.ledger.submit(
      evaluateCommand(node.agents, { payerId: payer, payeeId: payee, amountPaise: paise(9_500n) }),
    )
  await database.inTransaction(async tx => {
    await tx.query('select 1 from accounts where id = $1 for no key update', [payer])
    expect((await dryRun()).decision).toBe('approved')
  })
  await other.pay(order(payer, payee, 1_000n))
  expect((await dryRun()).decision).toBe('denied')
  expect(paths).toEqual(['optimistic', 'overtaken'])
})

test('requests for approval and approved payments are read under their locks', async () => {
  const [payer, payee] = await knownWallets()
  await changeAgent(database, payer, { require_human_approval_above_paise: 10n })
  const asked = await node.pay(order(payer, payee, 100n))
  await approve(node, await approvalOf(database, asked))
  expect(paths).not.toContain('optimistic')
  expect(await balanceOf(database, payee)).toBe(200n)
})

test('two nodes that both decide without reading spend a wallet to the paisa and no further', async () => {
  const rival = startNode({ database: second, clock, optimism: 'always' })
  const payer = await insertFundedAgent(node.ledger, database, clock, 20_200n)
  const payee = await insertAgent(database, clock.now())
  const nodes = [node, rival]
  const { done, refused } = await outcomesOf(
    Array.from({ length: 300 }, async (_, at) => (nodes[at % 2] ?? node).pay(order(payer, payee, 100n))),
  )
  expect(done).toHaveLength(101)
  expect(new Set(refused.map(({ code }: AppError) => code))).toEqual(new Set(['insufficient_balance']))
  expect(await balanceOf(database, payer)).toBe(0n)
  expect([...node.broken, ...rival.broken]).toEqual([])
  await rival.ledger.close()
})

test('a batch whose locks are granted after its deadline is not written', async () => {
  const [payer] = await knownWallets()
  const seen = (await lockBatch(database, [payer])).get(payer)
  assert(seen !== undefined, 'the wallet exists')
  const write = (deadlineMs: number) =>
    updateUnchanged(database, [copyOf(seen)], [seen], new Date(Date.now() + deadlineMs))
  expect(haveFactsChanged(await write(-60_000).catch((error: unknown) => error))).toBe(true)
  expect(await write(60_000)).toBeInstanceOf(Date)
})

test('every column of an account is compared, or changes only with one that is', async () => {
  const compared = SEEN.map(([column]) => column)
  const withTransfers = [
    'total_funded_paise',
    'last_spent_ms',
    'ist_day_spent_paise',
    'ist_month_spent_paise',
  ]
  const withTotalSpent = ['last_release_ms', 'day_released_paise', 'hour_releases']
  const withTheirBeginnings = ['hour_spent_paise', 'day_spent_paise']
  // A new day begins at zero on every node.
  const others = ['id', 'ist_day', ...withTransfers, ...withTotalSpent, ...withTheirBeginnings]
  const columns = await database.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = 'accounts'`,
  )
  expect(columns.map(({ name }) => name).toSorted()).toEqual([...compared, ...others].toSorted())
})

test('after each lost race twice as many batches are read first, and half as many after each that was won', () => {
  const optimism = openOptimism('adaptive')
  const skipped = () => {
    let count = 0
    while (!optimism.isDue()) count += 1
    return count
  }
  const counts: number[] = []
  for (const race of ['lost', 'lost', 'lost', 'won', 'lost'] as const) {
    optimism[race]()
    counts.push(skipped())
  }
  expect(counts).toEqual([1, 2, 4, 0, 4])
})
