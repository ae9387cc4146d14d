import { expect, test } from 'vitest'
import { paise } from '../../../kernel/money.ts'
import { applyDueBudget, type BudgetState, changeBudget } from './budget.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')
const TOMORROW = new Date('2026-11-21T10:00:00.000Z')
const WAITS = { now: NOW, cooldownMs: 86_400_000, isFrozen: false }

const of = (budget: bigint | null, pending?: bigint | null): BudgetState => ({
  budgetPaise: budget === null ? null : paise(budget),
  pendingBudget:
    pending === undefined
      ? null
      : { budgetPaise: pending === null ? null : paise(pending), effectiveAt: TOMORROW },
})

const wanted = (amount: bigint | null) => (amount === null ? null : paise(amount))

test.each([
  ['a first budget takes effect at once', of(null), 400n, of(400n)],
  ['a lower budget takes effect at once', of(400n), 100n, of(100n)],
  ['a higher budget waits', of(400n), 401n, of(400n, 401n)],
  ['the end of a budget waits', of(400n), null, of(400n, null)],
  ['the end of a budget of 0 waits', of(0n), null, of(0n, null)],
  ['no budget stays none', of(null), null, of(null)],
  ['the budget in force, set again, cancels a pending one', of(400n, 800n), 400n, of(400n)],
  ['a lower budget cancels a pending one', of(400n, 800n), 100n, of(100n)],
  ['a newer raise replaces a pending one', of(400n, 800n), 900n, of(400n, 900n)],
] as const)('%s', (_name, state, amount, after) => {
  expect(changeBudget(state, wanted(amount), WAITS)).toEqual(after)
})

test('a repeated raise keeps its moment, and a different raise waits for a full cooldown', () => {
  const later = { ...WAITS, now: new Date(NOW.getTime() + 3_600_000) }
  expect(changeBudget(of(400n, 800n), paise(800n), later)).toEqual(of(400n, 800n))
  expect(changeBudget(of(400n, 800n), paise(900n), later)).toMatchObject({
    pendingBudget: { effectiveAt: new Date(TOMORROW.getTime() + 3_600_000) },
  })
})

test('without a cooldown a higher budget takes effect at once', () => {
  expect(changeBudget(of(400n), null, { ...WAITS, cooldownMs: 0 })).toEqual(of(null))
})

test('while the owner is frozen, only raises are refused, and no pending budget takes effect', () => {
  const frozen = { ...WAITS, isFrozen: true }
  expect(changeBudget(of(400n), paise(401n), frozen)).toMatchObject({ kind: 'refusal', code: 'conflict' })
  expect(changeBudget(of(400n), null, frozen)).toMatchObject({ kind: 'refusal', code: 'conflict' })
  expect(changeBudget(of(400n, 800n), paise(400n), frozen)).toEqual(of(400n))
  expect(changeBudget(of(400n), paise(1n), frozen)).toEqual(of(1n))
  expect(applyDueBudget(of(400n, 800n), { now: TOMORROW, isFrozen: true })).toEqual(of(400n, 800n))
})

test('a raise takes effect at its moment, before any later change is decided', () => {
  const lastMoment = new Date(TOMORROW.getTime() - 1)
  expect(applyDueBudget(of(400n, null), { now: lastMoment, isFrozen: false })).toEqual(of(400n, null))
  expect(applyDueBudget(of(400n, null), { now: TOMORROW, isFrozen: false })).toEqual(of(null))
  expect(changeBudget(of(400n, 800n), paise(700n), { ...WAITS, now: TOMORROW })).toEqual(of(700n))
})
