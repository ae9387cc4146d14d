import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../kernel/clock.ts'
import { newUuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { testAccount } from '../testing/accounts.ts'
import { type Account, SYSTEM } from './accounts.ts'
import { LedgerBatch } from './ledger-batch.ts'

const HELD_MS = Date.parse('2026-11-20T10:00:00.000Z')
const [PAYER, PAYEE] = [1, 2].map(() => newUuid(new Date(HELD_MS))) as [string, string]

/** A payer with 100 INR and a payee with nothing. */
function wallets(): Map<string, Account> {
  const payer = testAccount(PAYER, HELD_MS, { balancePaise: paise(10_000n) })
  return new Map([payer, testAccount(PAYEE, HELD_MS)].map(account => [account.id, account]))
}

/** The same wallets at a later time, as the next batch reads them. */
function batchAt(accounts: Map<string, Account>, nowMs: number): LedgerBatch {
  return new LedgerBatch(accounts, nowMs)
}

function hold(accounts: Map<string, Account>): void {
  const posting = { kind: 'escrow_hold', debit: PAYER, credit: SYSTEM.escrow, linkedId: PAYEE } as const
  batchAt(accounts, HELD_MS).post({ ...posting, amountPaise: paise(4_000n) })
}

function refund(accounts: Map<string, Account>, nowMs: number): void {
  const posting = { kind: 'escrow_refund', debit: SYSTEM.escrow, credit: PAYER } as const
  batchAt(accounts, nowMs).post({
    ...posting,
    amountPaise: paise(4_000n),
    undoes: { postedMs: HELD_MS, amountPaise: paise(4_000n), isWhole: true },
  })
}

const spendingOf = (accounts: Map<string, Account>) => accounts.get(PAYER)?.spending

test('a hold leaves the balance and counts against the limits, but counts as spent only when it is released', () => {
  const accounts = wallets()
  hold(accounts)
  expect(accounts.get(PAYER)).toMatchObject({ balancePaise: 6_000n, totalSpentPaise: 0n })
  expect(spendingOf(accounts)).toMatchObject({ hourSpentPaise: 4_000n, istMonthSpentPaise: 4_000n })
  const release = { kind: 'escrow_release', debit: SYSTEM.escrow, credit: PAYEE, spentBy: PAYER } as const
  batchAt(accounts, HELD_MS + 5).post({ ...release, amountPaise: paise(4_000n) })
  expect(accounts.get(PAYER)).toMatchObject({ totalSpentPaise: 4_000n, sequence: 1n, changed: true })
  expect(accounts.get(PAYEE)).toMatchObject({ balancePaise: 4_000n, totalFundedPaise: 4_000n })
})

test('a refunded hold leaves every window that still includes it, and counts neither as funded nor as spent', () => {
  const accounts = wallets()
  hold(accounts)
  refund(accounts, HELD_MS + HOUR_MS / 2)
  expect(accounts.get(PAYER)).toMatchObject({
    balancePaise: 10_000n,
    totalSpentPaise: 0n,
    totalFundedPaise: 0n,
  })
  expect(spendingOf(accounts)).toMatchObject({
    hourSpentPaise: 0n,
    daySpentPaise: 0n,
    istDaySpentPaise: 0n,
    istMonthSpentPaise: 0n,
  })
})

test.each([
  ['the hour is over', HELD_MS + HOUR_MS],
  ['the rolling day is over', HELD_MS + DAY_MS],
  ['another day began', Date.parse('2026-11-20T18:30:00.000Z')],
  ['another month began', Date.parse('2026-12-01T00:00:00.000Z')],
])('a hold refunded after %s takes no window below zero', (_when, nowMs) => {
  const accounts = wallets()
  hold(accounts)
  refund(accounts, nowMs)
  expect(spendingOf(accounts)).toMatchObject({
    hourSpentPaise: 0n,
    daySpentPaise: 0n,
    istDaySpentPaise: 0n,
    istMonthSpentPaise: 0n,
  })
})

test('a refund that does not say when its hold was posted fails an assertion', () => {
  const accounts = wallets()
  hold(accounts)
  const posting = { kind: 'escrow_refund', debit: SYSTEM.escrow, credit: PAYER } as const
  expect(() => batchAt(accounts, HELD_MS).post({ ...posting, amountPaise: paise(4_000n) })).toThrow('undoes')
})
