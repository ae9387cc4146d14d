import { POLICY_LAYERS, type ThresholdControl } from '@batua/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paise } from '../../kernel/money.ts'
import { testAccount } from '../../testing/accounts.ts'
import { SEED } from '../../testing/knobs.ts'
import { lower, OPEN_POLICY, type SpendPolicy } from './controls.ts'
import { decideLimits } from './decide.ts'
import { ceilingOf, type Layer, layerOf, watchesCounterparties } from './layers.ts'
import { fits } from './limits.ts'
import { approvalNeeded, decideEscrow } from './thresholds.ts'

const NOW_MS = Date.parse('2026-11-20T10:00:00.000Z')

const limit = fc.option(fc.bigInt(0n, 12n).map(paise))
const controls: fc.Arbitrary<SpendPolicy> = fc
  .record({
    spend_limit_per_tx: limit,
    spend_limit_hourly: limit,
    spend_limit_daily: limit,
    spend_limit_monthly: limit,
    per_counterparty_daily_limit: limit,
    max_counterparties_per_hour: fc.option(fc.integer({ min: 0, max: 3 })),
    require_escrow_above: limit,
    require_human_approval_above: limit,
  })
  .map(some => ({ ...OPEN_POLICY, ...some }))
const layersOf = (each: fc.Arbitrary<SpendPolicy>) =>
  fc
    .tuple(...POLICY_LAYERS.map(layer => fc.option(each.map(set => layerOf(layer, set)))))
    .map(all => all.filter(layer => layer !== null))

/** The amounts spent, all to the payee of the test, and how many other agents were paid within the hour. */
const past = fc.record({
  hour: fc.bigInt(0n, 4n),
  dayMore: fc.bigInt(0n, 4n),
  monthMore: fc.bigInt(0n, 4n),
  others: fc.integer({ min: 0, max: 3 }),
})

test('an amount passes exactly when it fits under the tightest limit of every kind', () => {
  fc.assert(
    fc.property(
      layersOf(controls),
      past,
      fc.bigInt(1n, 8n),
      fc.boolean(),
      (layers, spent, amount, escrowApplies) => {
        const payer = testAccount('payer', NOW_MS)
        const day = paise(spent.hour + spent.dayMore)
        Object.assign(payer.spending, {
          hourSpentPaise: paise(spent.hour),
          daySpentPaise: day,
          istDaySpentPaise: day,
          istMonthSpentPaise: paise(day + spent.monthMore),
          hourRecipientsBound: spent.others,
        })
        const amountPaise = paise(amount)
        const ceiling = ceilingOf(layers)
        const refusal = decideLimits({
          layers,
          amountPaise,
          escrowApplies,
          spending: payer.spending,
          counterparty: watchesCounterparties(ceiling)
            ? { daySpentPaise: day, recentPayees: spent.others, paidRecently: false, leaving: [] }
            : null,
          nowMs: NOW_MS,
          fitsAgainMs: () => NOW_MS,
        })
        const spend = { layers, ceiling, payer, payeeId: 'payee', amountPaise, escrowApplies }
        expect(refusal === null).toBe(fits(spend, amountPaise, 1))
      },
    ),
    { numRuns: 2_000, seed: SEED },
  )
})

describe('the lower of two limits', () => {
  test.each<[bigint | null, bigint | null, bigint | null]>([
    [null, null, null],
    [0n, null, 0n],
    [null, 0n, 0n],
    [1n, 2n, 1n],
    [2n, 1n, 1n],
    [0n, 1n, 0n],
  ])('the lower limit of %s and %s is %s', (left, right, result) => {
    expect(lower(left, right)).toBe(result)
  })
})

const thresholds = layersOf(
  fc
    .record({ require_escrow_above: limit, require_human_approval_above: limit })
    .map(some => ({ ...OPEN_POLICY, ...some })),
)

/** The first layer of those with the lowest threshold, when the amount is above it. */
function lowestBelow(layers: readonly Layer[], amount: bigint, control: ThresholdControl) {
  const set = layers.flatMap(({ layer, thresholds: each }) => {
    const abovePaise = each[control]
    return abovePaise === null ? [] : [{ layer, abovePaise }]
  })
  const lowest = set.reduce<bigint | null>((least, { abovePaise }) => lower(least, abovePaise), null)
  if (lowest === null || amount <= lowest) return null
  return set.find(({ abovePaise }) => abovePaise === lowest) ?? null
}

test('the lowest approval threshold applies from one paisa above it and is named with its most general layer', () => {
  fc.assert(
    fc.property(thresholds, fc.bigInt(1n, 14n).map(paise), (layers, amount) => {
      expect(approvalNeeded({ layers, ceiling: ceilingOf(layers) }, amount)).toEqual(
        lowestBelow(layers, amount, 'require_human_approval_above'),
      )
    }),
    { numRuns: 1_000, seed: SEED },
  )
})

test('the lowest escrow threshold applies likewise, and its refusal says what may be paid directly', () => {
  fc.assert(
    fc.property(thresholds, fc.bigInt(1n, 14n).map(paise), (layers, amount) => {
      const lowest = lowestBelow(layers, amount, 'require_escrow_above')
      const refusal = decideEscrow(layers, amount, lowest?.abovePaise ?? null)
      expect(refusal?.details ?? null).toEqual(
        lowest === null
          ? null
          : {
              rule: 'require_escrow_above',
              layer: lowest.layer,
              escrow_above: Number(lowest.abovePaise) / 100,
              limit: Number(lowest.abovePaise) / 100,
              used: 0,
              remaining: Number(lowest.abovePaise) / 100,
              max_amount_now: Number(lowest.abovePaise) / 100,
            },
      )
    }),
    { numRuns: 1_000, seed: SEED },
  )
})
