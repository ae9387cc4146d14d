import { ANY_PAYEE, POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Paise, paise, rupees } from '../../kernel/money.ts'
import { layerWith, spentFacts } from '../../testing/decision-facts.ts'
import type { SpendPolicy } from './controls.ts'
import { decideLimits, decidePayee } from './decide.ts'
import type { Layer } from './layers.ts'
import type { PolicyFacts } from './limit-usage.ts'

const NOW_MS = Date.parse('2026-11-20T10:00:00.000Z')
const TOMORROW = '2026-11-20T18:30:00.000Z'
const NEXT_MONTH = '2026-11-30T18:30:00.000Z'
const IN_50_MINUTES = '2026-11-20T10:50:00.000Z'

function factsOf(amount: bigint, layers: readonly Layer[], more: Partial<PolicyFacts> = {}): PolicyFacts {
  return spentFacts(NOW_MS, amount, layers, more)
}

describe('each limit', () => {
  test.each<[string, Partial<SpendPolicy>, bigint]>([
    ['spend_limit_per_tx', { spend_limit_per_tx: paise(5_000n) }, 5_000n],
    ['spend_limit_hourly', { spend_limit_hourly: paise(5_000n) }, 4_000n],
    ['spend_limit_daily', { spend_limit_daily: paise(5_000n) }, 2_000n],
    ['spend_limit_monthly', { spend_limit_monthly: paise(5_000n) }, 1_000n],
  ])('%s allows exactly what is left of it, and not one paisa more', (rule, controls, left) => {
    const layers = [layerWith('agent', controls)]
    expect(decideLimits(factsOf(left, layers))).toBeNull()
    expect(decideLimits(factsOf(left + 1n, layers))).toMatchObject({
      code: 'spend_limit_exceeded',
      field: 'amount',
      details: { rule, layer: 'agent', limit: 50, remaining: rupees(left), max_amount_now: rupees(left) },
    })
  })

  test('a counterparty limit counts what this payee was paid today', () => {
    const layers = [layerWith('agent', { per_counterparty_daily_limit: paise(5_000n) })]
    const counterparty = { daySpentPaise: paise(4_500n), recentPayees: 3, paidRecently: true, leaving: [] }
    expect(decideLimits(factsOf(500n, layers, { counterparty }))).toBeNull()
    expect(decideLimits(factsOf(501n, layers, { counterparty }))).toMatchObject({
      details: { rule: 'per_counterparty_daily_limit', used: 45, remaining: 5, retry_at: TOMORROW },
    })
  })

  test('a limit on recipients refuses one more recipient, but not one that was paid within the hour', () => {
    const layers = [layerWith('agent', { max_counterparties_per_hour: 3 })]
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
    const layers = [layerWith('agent', { max_counterparties_per_hour: 3 })]
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
        const refusal = decideLimits(factsOf(1n, [layerWith('agent', controls)], { counterparty }))
        expect(refusal?.details).toMatchObject({ limit: 0, remaining: 0 })
        expect(refusal?.details).not.toHaveProperty('retry_at')
      }
    },
  )

  test('a limit lowered below the amount spent has nothing left, and never less than nothing', () => {
    const layers = [layerWith('agent', { spend_limit_monthly: paise(1_000n) })]
    expect(decideLimits(factsOf(1n, layers))).toMatchObject({
      details: { limit: 10, used: 40, remaining: 0, max_amount_now: 0, retry_at: NEXT_MONTH },
    })
  })
})

test('the day of a tier is rolling 24 hours, and that of the other layers is a calendar day in India', () => {
  const used = POLICY_LAYERS.map(
    name =>
      decideLimits(factsOf(9_000n, [layerWith(name, { spend_limit_daily: paise(5_000n) })]))?.details?.[
        'used'
      ],
  )
  expect(used).toEqual([20, 30, 30, 30])
})

describe('when several limits refuse', () => {
  test('when several limits refuse, the one with the least left is named, whatever its layer', () => {
    const refusal = decideLimits(
      factsOf(9_000n, [
        layerWith('tier', { spend_limit_per_tx: paise(3_000n), spend_limit_monthly: paise(6_500n) }),
        layerWith('owner', { spend_limit_daily: paise(5_400n) }),
        layerWith('agent', { spend_limit_hourly: paise(3_500n) }),
      ]),
    )
    expect(refusal?.details).toMatchObject({ rule: 'spend_limit_daily', layer: 'owner', remaining: 24 })
  })

  test('when several limits refuse with equal amounts left, tier comes before owner, organization and agent', () => {
    const all = POLICY_LAYERS.map(name => layerWith(name, { spend_limit_per_tx: paise(500n) }))
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
    expect(named(layerWith('tier', full), layerWith('agent', crowded))).toBe('tier')
    expect(named(layerWith('tier', crowded), layerWith('agent', full))).toBe('tier')
    expect(named(layerWith('tier', { spend_limit_per_tx: paise(0n) }), layerWith('owner', crowded))).toBe(
      'tier',
    )
  })

  test('retry_at is when the last of the refusing limits allows the payment, and absent if one never does', () => {
    const hour = { spend_limit_hourly: paise(1_500n) }
    const retry = (...layers: Layer[]) => decideLimits(factsOf(1_200n, layers))?.details?.['retry_at']
    expect(retry(layerWith('agent', hour))).toBe(IN_50_MINUTES)
    expect(retry(layerWith('owner', { spend_limit_daily: paise(4_000n) }), layerWith('agent', hour))).toBe(
      TOMORROW,
    )
    expect(retry(layerWith('owner', { spend_limit_monthly: paise(5_000n) }), layerWith('agent', hour))).toBe(
      NEXT_MONTH,
    )
    expect(
      retry(layerWith('owner', { spend_limit_per_tx: paise(1_000n) }), layerWith('agent', hour)),
    ).toBeUndefined()
    expect(retry(layerWith('tier', { spend_limit_daily: paise(3_000n) }))).toBe('2026-11-21T09:50:00.000Z')
  })
})

test('the escrow threshold bounds max_amount_now too', () => {
  const layers = [
    layerWith('tier', { require_escrow_above: paise(700n) }),
    layerWith('agent', { spend_limit_per_tx: paise(900n), require_escrow_above: paise(800n) }),
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
        policies.map(([name, controls]) => layerWith(name, controls)),
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
    ['no lists', [layerWith('agent', lists(null, null))], true],
    ['the payee is on the allowed list', [layerWith('agent', lists(['payee'], null))], true],
    ['the payee is not on the allowed list', [layerWith('agent', lists(['other'], null))], false],
    ['the allowed list is empty', [layerWith('agent', lists([], null))], false],
    ['the payee is blocked', [layerWith('agent', lists(null, ['payee']))], false],
    ['the payee is blocked and allowed', [layerWith('agent', lists(['payee'], ['payee']))], false],
    ['another agent is blocked', [layerWith('agent', lists(null, ['other']))], true],
    [
      'the owner blocks the payee',
      [layerWith('owner', lists(null, ['payee'])), layerWith('agent', lists(['payee'], null))],
      false,
    ],
    [
      'only one layer allows the payee',
      [layerWith('owner', lists(['other'], null)), layerWith('agent', lists(['payee'], null))],
      false,
    ],
  ])('payee lists decide whether the payee may be paid: %s', (_what, layers, allowed) => {
    const refusal = decidePayee(layers, 'payee')
    if (allowed) expect(refusal).toBeNull()
    else expect(refusal).toMatchObject({ code: 'authorization_error', field: 'to' })
  })
})
