import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, istDay } from '../../../kernel/clock.ts'
import { paise } from '../../../kernel/money.ts'
import { PROOF_LENGTH, SEED } from '../../../testing/knobs.ts'
import {
  type BruteMost,
  payByForce,
  spentBefore,
  TooManyPayments,
  type World,
} from '../../../testing/limits/brute-payer.ts'
import { NO_BUDGET, TICK_MS, UNLIMITED, UNLIMITED_TIER, worlds } from '../../../testing/limits/worlds.ts'
import { OPEN_POLICY, type SpendPolicy } from '../../limits/controls.ts'
import { payMost } from '../../limits/exposure/pay-most.ts'
import { rulesOver } from '../../limits/exposure/rules.ts'
import type { SpentAt } from '../../limits/exposure/spent.ts'
import { paymentFee } from '../fee.ts'

const HOUR_AND_DAY = [HOUR_MS, DAY_MS]
const MONTH = [HOUR_MS, DAY_MS, 30 * DAY_MS]

/** What the service finds in such a world, without paying one by one. */
function payAtOnce(world: World, lengthsMs: readonly number[]): BruteMost[] {
  const { nowMs, history } = world
  const today = istDay(new Date(nowMs))
  const known = new Set([...world.agents.keys(), ...history.map(({ payeeId }) => payeeId)])
  const payer = payMost(
    {
      nowMs,
      isActive: world.status === 'active',
      balancePaise: paise(world.balance),
      rules: rulesOver(world.sources, new Date(nowMs), nowMs + (lengthsMs.at(-1) ?? 0)),
      spent: spentBefore(world),
      payees: [...known].map(id => {
        const theirs = history.filter(({ payeeId }) => payeeId === id)
        return {
          id,
          canReceive: ['active', 'quarantined'].includes(world.agents.get(id) ?? 'active'),
          lastPaidMs: theirs.at(-1)?.atMs ?? null,
          spentTodayPaise: theirs
            .filter(({ atMs }) => istDay(new Date(atMs)) === today)
            .reduce((sum, { amount }) => sum + amount, 0n),
        }
      }),
      allowances: world.allowances.map(({ payeeId, amountPaise, usedPaise, until }) => ({
        ...{ payeeId, untilMs: until.getTime(), leftPaise: amountPaise - usedPaise },
      })),
      feeOf: paymentFee,
    },
    lengthsMs,
  )
  for (let step = payer.next(); ; step = payer.next()) {
    if (step.done === true)
      return step.value.map(({ amountPaise, bound }) => ({ amount: amountPaise, bound }))
  }
}

/** Worlds in which one would try for too long are left out. */
function byForce(world: World, lengthsMs: readonly number[]): BruteMost[] {
  try {
    return payByForce(world, TICK_MS, lengthsMs)
  } catch (error) {
    if (error instanceof TooManyPayments) return fc.pre(false) as never
    throw error
  }
}

describe('the most that a payer can take out', () => {
  test('in an hour and a day is what a payer takes out that tries every payment', () => {
    fc.assert(
      fc.property(worlds(47), world => {
        expect(payAtOnce(world, HOUR_AND_DAY)).toEqual(byForce(world, HOUR_AND_DAY))
      }),
      { seed: SEED, numRuns: 50 * PROOF_LENGTH },
    )
  }, 600_000)

  test('in thirty days is what a payer takes out that tries every payment', () => {
    fc.assert(
      fc.property(worlds(1_430), world => {
        expect(payAtOnce(world, MONTH)).toEqual(byForce(world, MONTH))
      }),
      { seed: SEED, numRuns: 16 * PROOF_LENGTH },
    )
  }, 600_000)

  test('takes few steps, however small the payments are', () => {
    const { steps, most } = stepsOf({
      policy: { spend_limit_per_tx: paise(1n), spend_limit_hourly: paise(100_000_000n) },
      history: [],
    })
    expect(most.map(({ amountPaise }) => amountPaise)).toEqual([
      100_000_000n,
      2_400_000_000n,
      72_000_000_000n,
    ])
    expect(steps).toBe(0)
  })

  test('is never too low, and soon found, when a thousand payments leave a window one by one', () => {
    const { steps, most } = stepsOf({
      policy: { spend_limit_hourly: paise(1_000n) },
      history: Array.from({ length: 1_000 }, (_, index) => ({
        atMs: -3_600_000 + 1 + index * 3_600,
        paise: 1n,
      })),
    })
    const [hour, day, month = 0n] = most.map(({ amountPaise }) => amountPaise)
    expect([hour, day]).toEqual([1_000n, 24_000n])
    expect(month).toBeGreaterThanOrEqual(720_000n)
    expect(month).toBeLessThanOrEqual(721_000n)
    expect(steps).toBeLessThan(150)
  })
})

/** The most that an agent with a policy of its own and plenty of money can pay, and how often it paused. */
function stepsOf({
  policy,
  history,
}: {
  readonly policy: Partial<SpendPolicy>
  readonly history: readonly SpentAt[]
}) {
  const nowMs = Date.parse('2026-11-20T09:30:00Z')
  const agent = { policy: { ...OPEN_POLICY, ...policy }, pending: [] }
  const sources = { tier: UNLIMITED_TIER, owner: null, agent, budget: NO_BUDGET }
  const before = history.map(({ atMs, paise: spent }) => ({ atMs: nowMs + atMs, paise: spent }))
  const payer = payMost(
    {
      ...{ nowMs, isActive: true, balancePaise: UNLIMITED, payees: [], allowances: [], feeOf: paymentFee },
      rules: rulesOver(sources, new Date(nowMs), nowMs + 30 * DAY_MS),
      spent: { hour: before, day: before, istDayPaise: 0n, istMonthPaise: 0n },
    },
    MONTH,
  )
  for (let steps = 0; ; steps++) {
    const step = payer.next()
    if (step.done === true) return { steps, most: step.value }
  }
}
