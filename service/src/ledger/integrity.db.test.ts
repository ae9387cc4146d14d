import { afterAll, beforeEach, describe, expect } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { fund, insertAgent, order, post, refundOrder, startNode, type TestNode } from '../testing/builders.ts'
import { database, test } from '../testing/database-test.ts'
import { SYSTEM } from './accounts.ts'
import { checkLedger } from './integrity.ts'

const clock = systemClock()
let node: TestNode
let payer: Uuid
let payee: Uuid
let bystander: Uuid

test.beforeAll(async () => {
  node = startNode({ database, clock })
})

afterAll(async () => {
  await node.ledger.close()
})

/** A small ledger with every kind of transfer: 3 + 3 for the payer, 3 for the payee, a funding for a third wallet. */
beforeEach(async () => {
  await database.query('truncate accounts, transfers, agents')
  payer = await insertAgent(database, clock.now())
  payee = await insertAgent(database, clock.now())
  bystander = await insertAgent(database, clock.now())
  await fund(node.ledger, bystander, 7_000n)
  await post(node.ledger, [payer], {
    ...{ kind: 'fund', debit: SYSTEM.gateway, credit: payer },
    ...{ amountPaise: paise(97_500n), feePaise: paise(2_500n) },
  })
  const { payment_id } = await node.pay(order(payer, payee, 10_000n))
  await node.pay(order(payer, payee, 10_000n))
  await node.pay(order(payer, payee, 30_000n))
  await node.refund(await refundOrder(database, payment_id, 4_000n))
  await post(node.ledger, [payer], {
    ...{ kind: 'chargeback', debit: payer, credit: SYSTEM.gateway },
    amountPaise: paise(97_500n),
  })
})

test('a ledger without alterations is balanced to the paisa, system accounts included', async () => {
  expect(await checkLedger(database)).toEqual({
    balanced: true,
    sumPaise: 0n,
    system: {
      gateway: -7_000n - 100_000n + 97_500n,
      gatewayFees: 2_500n,
      fees: 350n,
      escrow: 0n,
      payouts: 0n,
      authorizations: 0n,
      chargebacks: 0n,
    },
    wrongBalances: [],
    brokenHistories: [],
    overdrawn: [],
    unexplained: { escrowPaise: 0n, authorizationsPaise: 0n, payoutsPaise: 0n },
  })
})

test('the ledger check fails when the escrow or payouts account differs from its records', async () => {
  const sides = { debit: bystander, amountPaise: paise(1_000n) }
  await post(node.ledger, [bystander], { kind: 'escrow_hold', credit: SYSTEM.escrow, ...sides })
  await post(node.ledger, [bystander], { kind: 'payout', credit: SYSTEM.payouts, ...sides })
  const recorded = (amount: bigint) => () => Promise.resolve(paise(amount))
  const right = { escrow: recorded(1_000n), authorizations: recorded(0n), payouts: recorded(1_000n) }
  expect(await checkLedger(database, right)).toMatchObject({ balanced: true })
  expect(await checkLedger(database, { ...right, escrow: recorded(999n) })).toMatchObject({
    balanced: false,
    unexplained: { escrowPaise: 1n, authorizationsPaise: 0n, payoutsPaise: 0n },
  })
  expect(await checkLedger(database, { ...right, payouts: recorded(1_001n) })).toMatchObject({
    balanced: false,
    unexplained: { escrowPaise: 0n, authorizationsPaise: 0n, payoutsPaise: -1n },
  })
})

test('a wallet below zero passes the ledger check only after a chargeback', async () => {
  const rows = await database.query<{ balance_paise: bigint }>(
    'select balance_paise from accounts where id = $1',
    [payer],
  )
  expect(rows[0]?.balance_paise).toBeLessThan(0n)
  await database.query(`update transfers set kind = 'payment' where kind = 'chargeback'`)
  expect(await checkLedger(database)).toMatchObject({ balanced: false, overdrawn: [payer] })
})

/** The nth transfer of the payer by its sequence. */
const OF_PAYER = 'debit_account = $1 and debit_sequence = $2'

describe('the ledger check finds', () => {
  test.each([[1n], [-1n]])('a balance that was changed by %d paisa', async change => {
    await database.query('update accounts set balance_paise = balance_paise + $2 where id = $1', [
      bystander,
      change,
    ])
    expect(await checkLedger(database)).toMatchObject({
      balanced: false,
      sumPaise: change,
      wrongBalances: [bystander],
      brokenHistories: [],
    })
  })

  test('balances that were changed so that the sum stays zero', async () => {
    await database.query('update accounts set balance_paise = balance_paise + 5 where id = $1', [payer])
    await database.query('update accounts set balance_paise = balance_paise - 5 where id = $1', [payee])
    const report = await checkLedger(database)
    expect({ ...report, wrongBalances: report.wrongBalances.toSorted() }).toMatchObject({
      balanced: false,
      sumPaise: 0n,
      wrongBalances: [payer, payee].toSorted(),
    })
  })

  test.each([
    ['the first', 2n],
    ['one in the middle', 3n],
    ['the last', 6n],
  ])('a transfer that was deleted: %s of the payer', async (_which, sequence) => {
    await database.query(`delete from transfers where ${OF_PAYER}`, [payer, sequence])
    const report = await checkLedger(database)
    expect(report.balanced).toBe(false)
    expect(report.wrongBalances).toContain(payer)
  })

  test('a transfer whose deletion was covered up in the balance', async () => {
    await database.query(`delete from transfers where ${OF_PAYER}`, [payer, 6n])
    await database.query('update accounts set balance_paise = balance_paise + 97500 where id = $1', [payer])
    expect(await checkLedger(database)).toMatchObject({ balanced: false, wrongBalances: [payer] })
  })

  test.each(['amount_paise', 'fee_paise', 'debit_balance_paise', 'credit_balance_paise'])(
    'a transfer whose %s was changed',
    async column => {
      await database.query(`update transfers set ${column} = ${column} + 1 where ${OF_PAYER}`, [payer, 3n])
      const report = await checkLedger(database)
      expect(report.balanced).toBe(false)
      expect(report.brokenHistories).toContain(column === 'credit_balance_paise' ? payee : payer)
    },
  )

  test('a balance that was set to null in a transfer', async () => {
    await database.query(`update transfers set debit_balance_paise = null where ${OF_PAYER}`, [payer, 3n])
    expect(await checkLedger(database)).toMatchObject({ balanced: false, brokenHistories: [payer] })
  })

  test('a gap in the sequence of a wallet', async () => {
    await database.query(`update transfers set debit_sequence = 9 where ${OF_PAYER}`, [payer, 6n])
    expect(await checkLedger(database)).toMatchObject({ balanced: false, brokenHistories: [payer] })
  })

  test('two transfers whose sequences were swapped, although their amounts are the same', async () => {
    await database.query(
      `update transfers set debit_sequence = 5 - debit_sequence where debit_account = $1 and debit_sequence in (2, 3)`,
      [payer],
    )
    expect(await checkLedger(database)).toMatchObject({
      balanced: false,
      sumPaise: 0n,
      wrongBalances: [],
      brokenHistories: [payer],
    })
  })

  test('a transfer that was moved to another wallet', async () => {
    await database.query(`update transfers set credit_account = $3 where ${OF_PAYER}`, [payer, 3n, bystander])
    const report = await checkLedger(database)
    expect(report.balanced).toBe(false)
    expect(report.brokenHistories).toContain(bystander)
  })
})
