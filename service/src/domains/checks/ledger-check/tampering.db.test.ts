import { afterAll, beforeEach, describe, expect } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { SYSTEM } from '../../../ledger/index.ts'
import { clock, database, node, test } from '../../../testing/ledger-test.ts'
import type { LedgerCheckContext } from '../context.ts'
import { readLedgerCheck } from './check-ledger.ts'
import { everyKind, faultsOf, foldAll, testContext, type Wallets, wholeRound } from './testing/stage.ts'

let context: LedgerCheckContext
let wallets: Wallets
const logged: string[] = []

test.beforeAll(async () => {
  context = testContext(database, clock, logged)
  // Spending of another hour, so that a window which begins too early shows.
  wallets = await everyKind(node, database, clock)
  clock.advance(2 * HOUR_MS)
  wallets = await everyKind(node, database, clock)
  clock.advance(HOUR_MS)
  await foldAll(database, clock.now())
  await database.query(`
    create table accounts_before as table accounts; create table transfers_before as table transfers;
    create table escrows_before as table escrows; create table payouts_before as table payouts`)
})

async function putBack(): Promise<void> {
  for (const table of ['accounts', 'transfers', 'escrows', 'payouts']) {
    await database.query(`delete from ${table}; insert into ${table} table ${table}_before`)
  }
}

afterAll(putBack)

/** Everything is restored to the state before the test, and passes the check. */
beforeEach(async () => {
  await putBack()
  clock.advance(1)
  await wholeRound(context)
  expect(await faultsOf(database)).toEqual([])
  expect(await readLedgerCheck(database)).toMatchObject({ finishedAt: clock.now(), openFindings: 0 })
  logged.length = 0
  clock.advance(1)
})

async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
  const rows = await database.query(`${statement} returning 1 as changed`, values)
  expect(rows.length).toBeGreaterThan(0)
}

const kindsOf = async (subject?: Uuid) =>
  (await faultsOf(database))
    .filter(fault => subject === undefined || fault.subject === subject)
    .map(fault => fault.kind)

const COLUMNS_OF_ACCOUNTS: readonly [string, string, string][] = [
  ['balance_paise', '+ 1', 'wrong_balance'],
  ['balance_paise', '- 1', 'wrong_balance'],
  ['sequence', '+ 1', 'broken_history'],
  ['sequence', '- 1', 'broken_history'],
  ['sequence', '* 0', 'broken_history'],
  ['sequence', '+ 1000000000', 'broken_history'],
  ['total_funded_paise', '+ 1', 'wrong_counters'],
  ['total_funded_paise', '- 1', 'wrong_counters'],
  ['total_spent_paise', '+ 1', 'wrong_counters'],
  ['total_spent_paise', '- 1', 'wrong_counters'],
  ['last_posted_ms', '+ 1', 'wrong_counters'],
  ['last_posted_ms', '- 1', 'wrong_counters'],
  ['last_spent_ms', '+ 1', 'wrong_counters'],
  ['last_spent_ms', '- 1', 'wrong_counters'],
  ['hour_from_ms', `+ ${3 * HOUR_MS}`, 'wrong_counters'],
  ['hour_spent_paise', '- 1', 'wrong_counters'],
  ['day_from_ms', `+ ${48 * HOUR_MS}`, 'wrong_counters'],
  ['day_spent_paise', '- 1', 'wrong_counters'],
  ['ist_day', '+ 1', 'wrong_counters'],
  ['ist_day', '- 1', 'wrong_counters'],
  ['ist_day_spent_paise', '- 1', 'wrong_counters'],
  ['ist_month_spent_paise', '- 1', 'wrong_counters'],
  ['hour_recipients_bound', '* 0', 'wrong_counters'],
  ['counted_through_sequence', '+ 1000', 'wrong_counters'],
]

describe('a round finds an account', () => {
  test.each(COLUMNS_OF_ACCOUNTS)('whose %s was changed by %s', async (column, change, kind) => {
    await tamper(`update accounts set ${column} = ${column} ${change} where id = $1`, [wallets.payer])
    await wholeRound(context)
    expect(await kindsOf(wallets.payer)).toContain(kind)
    expect((await readLedgerCheck(database)).openFindings).toBeGreaterThan(0)
    expect(logged).toContain('ledger check found a fault')
  })

  test('that was deleted with its money', async () => {
    await tamper('delete from accounts where id = $1', [wallets.payee])
    await wholeRound(context)
    expect(await kindsOf()).toEqual(['sum_differs'])
  })

  test('that went below zero without a chargeback', async () => {
    await tamper(`update transfers set kind = 'payment' where kind = 'chargeback' and debit_account = $1`, [
      wallets.debtor,
    ])
    await wholeRound(context)
    expect(await kindsOf(wallets.debtor)).toContain('overdrawn')
  })

  test('whose balance was moved to another account so that the sum stays zero', async () => {
    await tamper('update accounts set balance_paise = balance_paise + 5 where id = $1', [wallets.payer])
    await tamper('update accounts set balance_paise = balance_paise - 5 where id = $1', [wallets.payee])
    await wholeRound(context)
    expect(await kindsOf()).toEqual(['broken_history', 'broken_history', 'wrong_balance', 'wrong_balance'])
  })
})

const CHANGES: readonly [string, string][] = [
  ['id', 'gen_random_uuid()'],
  ['debit_account', 'gen_random_uuid()'],
  ['credit_account', 'gen_random_uuid()'],
  ['kind', `kind || '_'`],
  ['amount_paise', 'amount_paise + 1'],
  ['fee_paise', 'fee_paise + 1'],
  ['debit_balance_paise', 'coalesce(debit_balance_paise, 0) + 1'],
  ['credit_balance_paise', 'coalesce(credit_balance_paise, 0) + 1'],
  ['debit_sequence', 'coalesce(debit_sequence, 0) + 1'],
  ['credit_sequence', 'coalesce(credit_sequence, 0) + 1'],
  ['posted_at', `posted_at + interval '1 millisecond'`],
  ['seal', `'\\x00'`],
  ['linked_id', 'gen_random_uuid()'],
  ['idempotency_key', `'other'`],
  ['reference', `'other'`],
  ['note', `'other'`],
]

const KINDS = [
  'payment',
  'refund',
  'fund',
  'chargeback',
  'escrow_hold',
  'escrow_release',
  'escrow_refund',
  'payout',
  'payout_paid',
  'payout_failed',
  'payout_reversed',
]

/** One of the younger transfers of a kind. Of chargebacks: the one that no wallet bears. */
const ONE_OF = `ctid = (select ctid from transfers where kind = $1 order by posted_at desc, debit_account limit 1)`

describe.each(KINDS)('a round finds a transfer of kind %s', kind => {
  test.each(CHANGES)('whose %s became %s', async (column, value) => {
    await tamper(`update transfers set ${column} = ${value} where ${ONE_OF}`, [kind])
    await wholeRound(context)
    expect((await readLedgerCheck(database)).openFindings).toBeGreaterThan(0)
  })

  test('that was deleted', async () => {
    await tamper(`delete from transfers where ${ONE_OF}`, [kind])
    await wholeRound(context)
    expect((await readLedgerCheck(database)).openFindings).toBeGreaterThan(0)
  })

  test('that was copied under another id', async () => {
    await tamper(
      `insert into transfers (debit_account, id, credit_account, kind, amount_paise, fee_paise, debit_balance_paise,
         credit_balance_paise, debit_sequence, credit_sequence, posted_at, seal, linked_id, reference, note)
       select debit_account, gen_random_uuid(), credit_account, kind, amount_paise, fee_paise, debit_balance_paise,
         credit_balance_paise, debit_sequence, credit_sequence, posted_at, seal, linked_id, reference, note
       from transfers where ${ONE_OF}`,
      [kind],
    )
    await wholeRound(context)
    expect((await readLedgerCheck(database)).openFindings).toBeGreaterThan(0)
  })
})

test.each([
  ['escrows', 'amount_paise = amount_paise + 1', SYSTEM.escrow, 'escrow_differs'],
  ['escrows', `status = 'released'`, SYSTEM.escrow, 'escrow_differs'],
  ['payouts', 'amount_paise = amount_paise - 1', SYSTEM.payouts, 'payouts_differ'],
  ['payouts', `status = 'failed'`, SYSTEM.payouts, 'payouts_differ'],
])('a round finds %s that were set to %s', async (table, change, subject, kind) => {
  await tamper(`update ${table} set ${change}`)
  await wholeRound(context)
  expect(await faultsOf(database)).toMatchObject([{ subject, kind }])
})
