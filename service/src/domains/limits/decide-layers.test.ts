import { POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import { describe, expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import { WINDOW_MS } from '../../ledger/index.ts'
import { nothingSpent } from '../../testing/accounts.ts'
import { layerWith, spentFacts } from '../../testing/decision-facts.ts'
import type { SpendPolicy } from './controls.ts'
import { decideLimits, maxAmountNow } from './decide.ts'
import type { Layer } from './layers.ts'
import { limitUsages, type PolicyFacts, remaining } from './limit-usage.ts'

const NOW_MS = Date.parse('2026-11-20T10:00:00.000Z')
const LAST_MS = NOW_MS - 600_000
const TOMORROW_MS = Date.parse('2026-11-20T18:30:00.000Z')
const NEXT_MONTH_MS = Date.parse('2026-11-30T18:30:00.000Z')

/** What was spent until now; 5 INR of it to the payee today. */
function factsOf(amount: bigint, layers: readonly Layer[], more: Partial<PolicyFacts> = {}): PolicyFacts {
  const counterparty = { daySpentPaise: paise(500n), recentPayees: 2, paidRecently: true, leaving: [] }
  return spentFacts(NOW_MS, amount, layers, { counterparty, ...more })
}

const EVERYTHING: Partial<SpendPolicy> = {
  spend_limit_per_tx: paise(10_000n),
  spend_limit_hourly: paise(10_000n),
  spend_limit_daily: paise(10_000n),
  spend_limit_monthly: paise(10_000n),
  per_counterparty_daily_limit: paise(10_000n),
  max_counterparties_per_hour: 5,
}

describe('the usage of every limit', () => {
  const shown = (name: PolicyLayer, more: Partial<PolicyFacts> = {}) =>
    limitUsages(factsOf(0n, [layerWith(name, EVERYTHING)], more)).map(({ rule, used, resetsAtMs }) => [
      rule,
      used,
      resetsAtMs,
    ])

  test('the usage of a limit says how much is used and when the window is empty again', () => {
    for (const name of ['owner', 'agent'] as const) {
      expect(shown(name)).toEqual([
        ['spend_limit_per_tx', 0n, null],
        ['spend_limit_hourly', 1_000n, LAST_MS + WINDOW_MS.hour],
        ['spend_limit_daily', 3_000n, TOMORROW_MS],
        ['spend_limit_monthly', 4_000n, NEXT_MONTH_MS],
        ['per_counterparty_daily_limit', 500n, TOMORROW_MS],
        ['max_counterparties_per_hour', 2n, LAST_MS + WINDOW_MS.hour],
      ])
    }
  })

  test('a tier counts rolling 24 hours as a day, and the monthly limit of an organization is its budget', () => {
    expect(shown('tier')[2]).toEqual(['spend_limit_daily', 2_000n, LAST_MS + WINDOW_MS.day])
    expect(shown('org')[3]).toEqual(['budget_limit', 4_000n, NEXT_MONTH_MS])
  })

  test('an unused limit has no moment at which it resets', () => {
    const spending = nothingSpent(NOW_MS)
    const counterparty = { daySpentPaise: paise(0n), recentPayees: 0, paidRecently: false, leaving: [] }
    for (const name of POLICY_LAYERS) {
      expect(shown(name, { spending, counterparty }).map(([, used, resets]) => [used, resets])).toEqual(
        Array.from({ length: 6 }, () => [0n, null]),
      )
    }
  })

  test('the usage of a counterparty limit is null while no payee is named', () => {
    const counterparty = { daySpentPaise: null, recentPayees: 2, paidRecently: false, leaving: [] }
    const facts = factsOf(0n, [layerWith('agent', { per_counterparty_daily_limit: paise(1n) })], {
      counterparty,
    })
    const usages = limitUsages(facts)
    expect(usages.map(remaining)).toEqual([null])
    expect(maxAmountNow(facts, usages)).toBeNull()
  })
})

test('the budget of an organization refuses as budget_limit until the month ends', () => {
  const layers = [
    layerWith('org', { spend_limit_monthly: paise(5_000n) }),
    layerWith('agent', { spend_limit_monthly: paise(9_000n) }),
  ]
  expect(decideLimits(factsOf(1_000n, layers))).toBeNull()
  expect(decideLimits(factsOf(1_001n, layers))?.details).toEqual({
    rule: 'budget_limit',
    layer: 'org',
    limit: 50,
    used: 40,
    remaining: 10,
    max_amount_now: 10,
    retry_at: new Date(NEXT_MONTH_MS).toISOString(),
  })
})

describe('an escrow threshold', () => {
  const layers = [
    layerWith('tier', { require_escrow_above: paise(700n) }),
    layerWith('agent', { spend_limit_hourly: paise(1_900n) }),
  ]

  test('an escrow threshold refuses what the limits allow, and the refusal names the most that may be paid', () => {
    expect(decideLimits(factsOf(700n, layers))).toBeNull()
    expect(decideLimits(factsOf(701n, layers))).toMatchObject({
      code: 'escrow_required',
      details: { rule: 'require_escrow_above', layer: 'tier', limit: 7, max_amount_now: 7 },
    })
  })

  test('a refusal by an escrow threshold names what the limits leave if that is less', () => {
    const tight = [...layers, layerWith('agent', { per_counterparty_daily_limit: paise(1_100n) })]
    expect(decideLimits(factsOf(601n, tight))).toMatchObject({
      code: 'spend_limit_exceeded',
      details: { remaining: 6, max_amount_now: 6 },
    })
  })

  test('an escrow threshold does not apply to a hold, which only the limits bound', () => {
    const hold = { escrowApplies: false }
    expect(decideLimits(factsOf(900n, layers, hold))).toBeNull()
    expect(decideLimits(factsOf(901n, layers, hold))?.details).toMatchObject({
      remaining: 9,
      max_amount_now: 9,
    })
  })

  test('a payment above an escrow threshold has no retry_at, because it never passes as a payment', () => {
    const refusal = decideLimits(factsOf(1_000n, layers))
    expect(refusal).toMatchObject({ code: 'spend_limit_exceeded', details: { rule: 'spend_limit_hourly' } })
    expect(refusal?.details).not.toHaveProperty('retry_at')
    expect(decideLimits(factsOf(1_000n, layers, { escrowApplies: false }))?.details).toHaveProperty(
      'retry_at',
    )
  })
})
