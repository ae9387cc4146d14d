import { ANY_PAYEE, POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Paise, paise, rupees } from '../../kernel/money.ts'
import { WINDOW_MS } from '../../ledger/index.ts'
import { nothingSpent } from '../../testing/accounts.ts'
import { OPEN_POLICY, type SpendPolicy } from './controls.ts'
import { decideLimits, decidePayee } from './decide.ts'
import { type Layer, layerOf } from './layers.ts'
import type { PolicyFacts } from './limit-usage.ts'

const NOW_MS = Date.parse('2026-11-20T10:00:00.000Z')
const LAST_MS = NOW_MS - 600_000
const TOMORROW = '2026-11-20T18:30:00.000Z'
const NEXT_MONTH = '2026-11-30T18:30:00.000Z'
const IN_50_MINUTES = '2026-11-20T10:50:00.000Z'

function layer(name: PolicyLayer, controls: Partial<SpendPolicy>): Layer {
  return layerOf(name, { ...OPEN_POLICY, ...controls })
}

/** Spent so far: 10 INR in the hour, 20 in 24 hours, 30 today, 40 this month. */
function factsOf(amount: bigint, layers: readonly Layer[], more: Partial<PolicyFacts> = {}): PolicyFacts {
  return {
    layers,
    amountPaise: paise(amount),
    spending: {
      ...nothingSpent(NOW_MS),
      lastSpentMs: LAST_MS,
      hourSpentPaise: paise(1_000n),
      daySpentPaise: paise(2_000n),
      istDaySpentPaise: paise(3_000n),
      istMonthSpentPaise: paise(4_000n),
    },
    counterparty: null,
    escrowApplies: true,
    nowMs: NOW_MS,
    fitsAgainMs: window => LAST_MS + WINDOW_MS[window],
    ...more,
  }
}

describe('each limit', () => {
  test.each<[string, Partial<SpendPolicy>, bigint]>([
    ['spend_limit_per_tx', { spend_limit_per_tx: paise(5_000n) }, 5_000n],
    ['spend_limit_hourly', { spend_limit_hourly: paise(5_000n) }, 4_000n],
    ['spend_limit_daily', { spend_limit_daily: paise(5_000n) }, 2_000n],
    ['spend_limit_monthly', { spend_limit_monthly: paise(5_000n) }, 1_000n],
  ])('%s allows exactly what is left of it, and not one paisa more', (rule, controls, left) => {
    const layers = [layer('agent', controls)]
    expect(decideLimits(factsOf(left, layers))).toBeNull()
    expect(decideLimits(factsOf(left + 1n, layers))).toMatchObject({
      code: 'spend_limit_exceeded',
      field: 'amount',
      details: { rule, layer: 'agent', limit: 50, remaining: rupees(left), max_amount_now: rupees(left) },
    })
  })

  test('a counterparty limit counts what this payee was paid today', () => {
    const layers = [layer('agent', { per_counterparty_daily_limit: paise(5_000n) })]
    const counterparty = { daySpentPaise: paise(4_500n), recentPayees: 3, paidRecently: true, leaving: [] }
    expect(decideLimits(factsOf(500n, layers, { counterparty }))).toBeNull()
    expect(decideLimits(factsOf(501n, layers, { counterparty }))).toMatchObject({
      details: { rule: 'per_counterparty_daily_limit', used: 45, remaining: 5, retry_at: TOMORROW },
    })
  })

  test('a limit on recipients refuses one more recipient, but not one that was paid within the hour', () => {
    const layers = [layer('agent', { max_counterparties_per_hour: 3 })]
    const use = (recentPayees: number, paidRecently: boolean) =>
      decideLimits(
        factsOf(1n, layers, {
          counterparty: { daySpentPaise: paise(0n), recentPayees, paidRecently, leaving: [] },
        }),
      )
    expect([use(2, false), use(3, true)]).toEqual([null, null])
    expect(use(3, false)).toMatchObject({
      code: 'spend_limit_exceeded',
      field: 'to',
      details: {
        ...{ rule: 'max_counterparties_per_hour', layer: 'agent', limit: 3, used: 3, remaining: 0 },
        ...{ max_amount_now: 0, retry_at: IN_50_MINUTES },
      },
    })
  })

  test('a lowered limit on recipients refuses every payee until few enough are left', () => {
    const layers = [layer('agent', { max_counterparties_per_hour: 3 })]
    const counterparty = { daySpentPaise: paise(0n), recentPayees: 4, paidRecently: true, leaving: [] }
    expect(decideLimits(factsOf(1n, layers, { counterparty }))).toMatchObject({
      details: { rule: 'max_counterparties_per_hour', used: 4, remaining: 0, retry_at: IN_50_MINUTES },
    })
  })

  test.each([true, false])(
    'a limit of 0 refuses every payment without a retry_at (payee was paid recently: %s)',
    paidRecently => {
      const recentPayees = paidRecently ? 1 : 0
      const counterparty = { daySpentPaise: paise(0n), recentPayees, paidRecently, leaving: [] }
      const zero = paise(0n)
      for (const controls of [
        { spend_limit_per_tx: zero },
        { spend_limit_hourly: zero },
        { spend_limit_daily: zero },
        { spend_limit_monthly: zero },
        { per_counterparty_daily_limit: zero },
        { max_counterparties_per_hour: 0 },
      ]) {
        const refusal = decideLimits(factsOf(1n, [layer('agent', controls)], { counterparty }))
        expect(refusal?.details).toMatchObject({ limit: 0, remaining: 0 })
        expect(refusal?.details).not.toHaveProperty('retry_at')
      }
    },
  )

  test('a limit lowered below the amount spent has nothing left, and never less than nothing', () => {
    const layers = [layer('agent', { spend_limit_monthly: paise(1_000n) })]
    expect(decideLimits(factsOf(1n, layers))).toMatchObject({
      details: { limit: 10, used: 40, remaining: 0, max_amount_now: 0, retry_at: NEXT_MONTH },
    })
  })
})

test('the day of a tier is rolling 24 hours, and that of the other layers is a calendar day in India', () => {
  const used = POLICY_LAYERS.map(
    name =>
      decideLimits(factsOf(9_000n, [layer(name, { spend_limit_daily: paise(5_000n) })]))?.details?.['used'],
  )
  expect(used).toEqual([20, 30, 30, 30])
})

describe('when several limits refuse', () => {
  test('when several limits refuse, the one with the least left is named, whatever its layer', () => {
    const refusal = decideLimits(
      factsOf(9_000n, [
        layer('tier', { spend_limit_per_tx: paise(3_000n), spend_limit_monthly: paise(6_500n) }),
        layer('owner', { spend_limit_daily: paise(5_400n) }),
        layer('agent', { spend_limit_hourly: paise(3_500n) }),
      ]),
    )
    expect(refusal?.details).toMatchObject({ rule: 'spend_limit_daily', layer: 'owner', remaining: 24 })
  })

  test('when several limits refuse with equal amounts left, tier comes before owner, organization and agent', () => {
    const all = POLICY_LAYERS.map(name => layer(name, { spend_limit_per_tx: paise(500n) }))
    for (const [index, name] of POLICY_LAYERS.entries()) {
      expect(decideLimits(factsOf(501n, all.slice(index)))?.details).toMatchObject({ layer: name })
    }
  })

  test('a limit on recipients that is reached counts as a limit with nothing left', () => {
    const counterparty = { daySpentPaise: paise(0n), recentPayees: 1, paidRecently: false, leaving: [] }
    const full = { spend_limit_monthly: paise(4_000n) }
    const crowded = { max_counterparties_per_hour: 1 }
    const named = (...layers: Layer[]) =>
      decideLimits(factsOf(1n, layers, { counterparty }))?.details?.['layer']
    expect(named(layer('tier', full), layer('agent', crowded))).toBe('tier')
    expect(named(layer('tier', crowded), layer('agent', full))).toBe('tier')
    expect(named(layer('tier', { spend_limit_per_tx: paise(0n) }), layer('owner', crowded))).toBe('tier')
  })

  test('retry_at is when the last of the refusing limits allows the payment, and absent if one never does', () => {
    const hour = { spend_limit_hourly: paise(1_500n) }
    const retry = (...layers: Layer[]) => decideLimits(factsOf(1_200n, layers))?.details?.['retry_at']
    expect(retry(layer('agent', hour))).toBe(IN_50_MINUTES)
    expect(retry(layer('owner', { spend_limit_daily: paise(4_000n) }), layer('agent', hour))).toBe(TOMORROW)
    expect(retry(layer('owner', { spend_limit_monthly: paise(5_000n) }), layer('agent', hour))).toBe(
      NEXT_MONTH,
    )
    expect(retry(layer('owner', { spend_limit_per_tx: paise(1_000n) }), layer('agent', hour))).toBeUndefined()
    expect(retry(layer('tier', { spend_limit_daily: paise(3_000n) }))).toBe('2026-11-21T09:50:00.000Z')
  })
})

test('the escrow threshold bounds max_amount_now too', () => {
  const layers = [
    layer('tier', { require_escrow_above: paise(700n) }),
    layer('agent', { spend_limit_per_tx: paise(900n), require_escrow_above: paise(800n) }),
  ]
  expect(decideLimits(factsOf(1_000n, layers))?.details).toMatchObject({ remaining: 9, max_amount_now: 7 })
})

const limits = fc.option(fc.bigInt(0n, 12n).map(rupees => paise(rupees * 1_000n)))
const layersWithLimits = fc
  .tuple(
    ...POLICY_LAYERS.map(name =>
      fc
        .record({
          spend_limit_per_tx: limits,
          spend_limit_hourly: limits,
          spend_limit_daily: limits,
          spend_limit_monthly: limits,
        })
        .map(controls => [name, controls] as const),
    ),
  )
  .map(all => [...all])

type LimitsOnAmounts = Pick<
  SpendPolicy,
  'spend_limit_per_tx' | 'spend_limit_hourly' | 'spend_limit_daily' | 'spend_limit_monthly'
>

/** A second, plain statement of the rules: what each limit of each layer leaves. */
function leftOf(
  layers: readonly (readonly [PolicyLayer, LimitsOnAmounts])[],
  { spending }: PolicyFacts,
): { layer: string; left: bigint }[] {
  return layers.flatMap(([name, controls]) => {
    const today = name === 'tier' ? spending.daySpentPaise : spending.istDaySpentPaise
    const rules: [Paise | null, bigint][] = [
      [controls.spend_limit_per_tx, 0n],
      [controls.spend_limit_hourly, spending.hourSpentPaise],
      [controls.spend_limit_daily, today],
      [controls.spend_limit_monthly, spending.istMonthSpentPaise],
    ]
    return rules.flatMap(([limit, used]) =>
      limit === null ? [] : [{ layer: name, left: limit > used ? limit - used : 0n }],
    )
  })
}

test('for any layers the tightest limit decides, is named, and says how much may be paid', () => {
  fc.assert(
    fc.property(layersWithLimits, fc.bigInt(1n, 14_000n), (policies, amount) => {
      const facts = factsOf(
        amount,
        policies.map(([name, controls]) => layer(name, controls)),
      )
      const left = leftOf(policies, facts)
      const least = left.reduce<bigint | null>(
        (min, each) => (min === null || each.left < min ? each.left : min),
        null,
      )
      const refusal = decideLimits(facts)
      expect(refusal !== null).toBe(least !== null && amount > least)
      if (refusal === null || least === null) return
      const first = left.find(each => each.left === least)
      expect(refusal.details).toMatchObject({
        layer: first?.layer,
        remaining: rupees(least),
        max_amount_now: rupees(least),
      })
      if (least > 0n) expect(decideLimits({ ...facts, amountPaise: paise(least) })).toBeNull()
    }),
    { numRuns: 500 },
  )
})

describe('payee rules', () => {
  const lists = (allowed: string[] | null, blocked: string[] | null): Partial<SpendPolicy> => ({
    allowed_payees: allowed ?? [ANY_PAYEE],
    blocked_payee_agents: blocked ?? [],
  })

  test.each<[string, Layer[], boolean]>([
    ['no lists', [layer('agent', lists(null, null))], true],
    ['the payee is on the allowed list', [layer('agent', lists(['payee'], null))], true],
    ['the payee is not on the allowed list', [layer('agent', lists(['other'], null))], false],
    ['the allowed list is empty', [layer('agent', lists([], null))], false],
    ['the payee is blocked', [layer('agent', lists(null, ['payee']))], false],
    ['the payee is blocked and allowed', [layer('agent', lists(['payee'], ['payee']))], false],
    ['another agent is blocked', [layer('agent', lists(null, ['other']))], true],
    [
      'the owner blocks the payee',
      [layer('owner', lists(null, ['payee'])), layer('agent', lists(['payee'], null))],
      false,
    ],
    [
      'only one layer allows the payee',
      [layer('owner', lists(['other'], null)), layer('agent', lists(['payee'], null))],
      false,
    ],
  ])('payee lists decide whether the payee may be paid: %s', (_what, layers, allowed) => {
    const refusal = decidePayee(layers, 'payee')
    if (allowed) expect(refusal).toBeNull()
    else expect(refusal).toMatchObject({ code: 'authorization_error', field: 'to' })
  })
})
