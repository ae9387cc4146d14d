import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, istDay, startOfIstDay } from '../kernel/clock.ts'
import { newUuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { nothingSpent, testAccount } from '../testing/accounts.ts'
import { type Account, SYSTEM } from './accounts.ts'
import { LedgerBatch, type Posting, readerById, type Writer } from './ledger-batch.ts'

const NOW_MS = Date.parse('2026-11-20T10:00:00.000Z')
const [PAYER, PAYEE, OTHER] = [1, 2, 3].map(() => newUuid(new Date(NOW_MS))) as [string, string, string]

function batchOf(...accounts: Account[]): LedgerBatch {
  return new LedgerBatch(new Map(accounts.map(account => [account.id, account])), NOW_MS)
}

function twoWallets(): LedgerBatch {
  return batchOf(
    testAccount(PAYER, NOW_MS, { balancePaise: paise(10_000n), sequence: 7n }),
    testAccount(PAYEE, NOW_MS, { balancePaise: paise(50n), sequence: 2n }),
  )
}

function payment(more: Partial<Posting> = {}): Posting {
  return {
    kind: 'payment',
    debit: PAYER,
    credit: PAYEE,
    amountPaise: paise(4_000n),
    feePaise: paise(100n),
    ...more,
  }
}

test('a payment debits amount and fee from one wallet and credits the amount to the other', () => {
  const batch = twoWallets()
  const transfer = batch.post(payment({ reference: 'r', note: 'n', idempotencyKey: 'k' }))
  expect(batch.account(PAYER)).toMatchObject({
    balancePaise: 5_900n,
    totalSpentPaise: 4_100n,
    totalFundedPaise: 0n,
    sequence: 8n,
    lastPostedMs: NOW_MS,
    changed: true,
  })
  expect(batch.account(PAYEE)).toMatchObject({
    balancePaise: 4_050n,
    totalSpentPaise: 0n,
    totalFundedPaise: 4_000n,
    sequence: 3n,
    changed: true,
  })
  expect(transfer).toMatchObject({
    debitBalancePaise: 5_900n,
    creditBalancePaise: 4_050n,
    debitSequence: 8n,
    creditSequence: 3n,
    postedAt: new Date(NOW_MS),
    reference: 'r',
    note: 'n',
    idempotencyKey: 'k',
    linkedId: null,
  })
  expect(batch.transfers).toEqual([transfer])
})

test('the amount of a payment, without its fee, counts against every limit window of the payer alone', () => {
  const batch = twoWallets()
  batch.post(payment())
  const counted = {
    hourSpentPaise: 4_000n,
    daySpentPaise: 4_000n,
    istDaySpentPaise: 4_000n,
    istMonthSpentPaise: 4_000n,
  }
  expect(batch.account(PAYER)?.spending).toMatchObject(counted)
  expect(batch.account(PAYEE)?.spending).toEqual(nothingSpent(NOW_MS))
})

test.each([
  ['fund', { debit: SYSTEM.gateway, credit: PAYER }, { totalFundedPaise: 4_000n, totalSpentPaise: 0n }],
  ['refund', { debit: PAYER, credit: PAYEE }, { totalFundedPaise: 0n, totalSpentPaise: 4_000n }],
  ['chargeback', { debit: PAYER, credit: SYSTEM.gateway }, { totalFundedPaise: 0n, totalSpentPaise: 0n }],
] as const)('a %s counts where it should and against no limit', (kind, sides, totals) => {
  const batch = twoWallets()
  batch.post({ kind, ...sides, amountPaise: paise(4_000n) })
  expect(batch.account(PAYER)).toMatchObject({ ...totals, spending: nothingSpent(NOW_MS) })
})

test('a system account has neither a balance nor a sequence in a transfer', () => {
  const batch = twoWallets()
  const transfer = batch.post({ kind: 'fund', debit: SYSTEM.gateway, credit: PAYEE, amountPaise: paise(5n) })
  expect(transfer).toMatchObject({ debitBalancePaise: null, debitSequence: null, creditBalancePaise: 55n })
})

test('the last paisa can be spent, and only a chargeback goes below zero', () => {
  const exact = twoWallets()
  exact.post(payment({ amountPaise: paise(9_900n) }))
  expect(exact.account(PAYER)?.balancePaise).toBe(0n)

  const short = twoWallets()
  expect(() => short.post(payment({ amountPaise: paise(9_901n) }))).toThrow('never goes below zero')

  const charged = twoWallets()
  charged.post({ kind: 'chargeback', debit: PAYER, credit: SYSTEM.gateway, amountPaise: paise(10_001n) })
  expect(charged.account(PAYER)?.balancePaise).toBe(-1n)
})

describe('an invalid transfer', () => {
  test.each([
    ['a wallet that was not locked', { credit: OTHER }],
    ['a wallet and itself', { credit: PAYER }],
    ['nothing', { amountPaise: paise(0n) }],
    ['less than nothing', { amountPaise: paise(-1n) }],
    ['a fee below nothing', { feePaise: paise(-1n) }],
    ['more than there is', { amountPaise: paise(10_000n) }],
    ['an id from before, which would count in another window', { id: newUuid(new Date(NOW_MS - HOUR_MS)) }],
  ])('with %s fails an assertion before it changes anything', (_what, more) => {
    const batch = twoWallets()
    expect(() => batch.post(payment(more))).toThrow('assertion failed')
    expect(batch.transfers).toEqual([])
    expect([...batch.accounts.values()]).toEqual([...twoWallets().accounts.values()])
  })
})

describe('the time of a batch', () => {
  const later = NOW_MS + 1_000
  const day = istDay(new Date(NOW_MS)) + 1

  test.each<[string, Partial<Account>, number]>([
    ['posted', { lastPostedMs: later }, later],
    ['counted an hour', { spending: { ...nothingSpent(NOW_MS), hourFromMs: later - HOUR_MS } }, later],
    ['counted 24 hours', { spending: { ...nothingSpent(NOW_MS), dayFromMs: later - DAY_MS } }, later],
    ['begun a day', { spending: { ...nothingSpent(NOW_MS), istDay: day } }, startOfIstDay(day).getTime()],
  ])('is never before the time at which a node with a faster clock has %s', (_what, fields, expected) => {
    const batch = batchOf(testAccount(PAYEE, NOW_MS), testAccount(PAYER, NOW_MS, fields))
    expect(batch.nowMs).toBe(expected)
    expect(
      batch.post({ kind: 'fund', debit: SYSTEM.gateway, credit: PAYEE, amountPaise: paise(1n) }),
    ).toMatchObject({
      postedAt: new Date(expected),
    })
  })

  test('is the time of the clock when no account refers to a later time', () => {
    expect(batchOf(testAccount(PAYER, NOW_MS - 5 * DAY_MS), testAccount(PAYEE, NOW_MS)).nowMs).toBe(NOW_MS)
  })
})

test('each command reads the facts of its own reader, and each writer gets its own rows', () => {
  const numbers = readerById<number>('numbers', async () => [])
  const writer: Writer<number> = { name: 'numbers', write: async () => undefined }
  const batch = twoWallets()
  expect([batch.read(numbers, 'a'), batch.leftToWrite()]).toEqual([undefined, 0])
  batch.set(numbers, 'a', 1)
  batch.write(writer, 1)
  batch.write(writer, 2)
  expect(batch.read(numbers, 'a')).toBe(1)
  expect([...batch.writes()]).toEqual([[writer, [1, 2]]])
  expect(batch.leftToWrite()).toBe(2)
})
