import { ANY_PAYEE, POLICY_CONTROLS, type PolicyControl } from '@batua/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, istDay } from '../../../kernel/clock.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { paise, rupees } from '../../../kernel/money.ts'
import { PROOF_LENGTH, SEED } from '../../../testing/knobs.ts'
import {
  type BruteMost,
  payByForce,
  spentBefore,
  TooManyPayments,
  type World,
} from '../../../testing/limits/brute-payer.ts'
import type { PolicyState } from '../../limits/change-policy.ts'
import { OPEN_POLICY, type SpendPolicy, type TierLimits } from '../../limits/controls.ts'
import { payMost } from '../../limits/exposure/pay-most.ts'
import { rulesOver } from '../../limits/exposure/rules.ts'
import type { SpentAt } from '../../limits/exposure/spent.ts'
import { paymentFee } from '../fee.ts'

const HALF_HOUR_MS = HOUR_MS / 2
const HOUR_AND_DAY = [HOUR_MS, DAY_MS]
const MONTH = [HOUR_MS, DAY_MS, 30 * DAY_MS]

const [ANN, BOB, CAT] = [1, 2, 3].map(() => newUuid(new Date(0))) as [string, string, string]
const NAMED = [ANN, BOB, CAT]
const STARTS = [
  '2026-11-20T09:30:00Z',
  '2026-11-30T16:30:00Z',
  '2026-11-20T18:30:00Z',
  '2026-12-31T18:00:00Z',
]

const UNLIMITED = paise(10n ** 15n)

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
    return payByForce(world, HALF_HOUR_MS, lengthsMs)
  } catch (error) {
    if (error instanceof TooManyPayments) return fc.pre(false) as never
    throw error
  }
}

function worlds(monthEnd: number): fc.Arbitrary<World> {
  return fc
    .record({ unit: fc.constantFrom(1n, 40n, 700n, 9_000n), start: fc.constantFrom(...STARTS) })
    .chain(({ unit, start }) => {
      const nowMs = Date.parse(start)
      const amount = fc
        .tuple(fc.bigInt(0n, 40n), fc.bigInt(0n, 3n))
        .map(([units, more]) => paise(units * unit + more))
      const later = fc.integer({ min: 1, max: monthEnd }).map(ticks => nowMs + ticks * HALF_HOUR_MS)
      const before = fc.oneof(fc.integer({ min: 0, max: 49 }), fc.integer({ min: 0, max: 1_000 }))
      return fc.record({
        nowMs: fc.constant(nowMs),
        status: fc.constantFrom('active', 'active', 'active', 'active', 'active', 'active', 'paused'),
        balance: fc.oneof(
          fc.bigInt(0n, 12_000n),
          fc.bigInt(0n, 100n).map(units => units * unit + 5_000n),
        ),
        sources: fc.record({
          tier: tiers(amount),
          owner: fc.option(states(amount, later), { freq: 2 }),
          budget: fc.record({
            limitPaise: fc.option(amount, { freq: 1 }),
            pending: fc.option(
              fc.record({
                limitPaise: fc.option(amount),
                effectiveAt: later.map(ms => new Date(ms)),
              }),
              { freq: 1 },
            ),
          }),
          agent: states(amount, later),
        }),
        agents: fc
          .tuple(...NAMED.map(() => fc.constantFrom('active', 'active', 'quarantined', 'paused')))
          .map(statuses => new Map(NAMED.map((id, index) => [id, statuses[index] ?? 'active']))),
        history: fc
          .array(
            fc.record({
              payeeId: fc.constantFrom(...NAMED, 'elsewhere'),
              atMs: before.map(ticks => nowMs - ticks * HALF_HOUR_MS),
              amount: amount.map(of => of + 1n),
            }),
            { maxLength: 6 },
          )
          .map(paid => paid.toSorted((left, right) => left.atMs - right.atMs)),
        allowances: fc
          .array(
            fc.record({
              payeeId: fc.constantFrom(...NAMED),
              amountPaise: amount.map(of => paise(of + 1n)),
              until: later.map(ms => new Date(ms)),
            }),
            { maxLength: 3 },
          )
          .map(given =>
            given
              .toSorted((left, right) => left.until.getTime() - right.until.getTime())
              .map((each, index) => ({
                ...each,
                ...{ agentId: 'payer', id: String(index), approvalId: null, createdAt: new Date(nowMs) },
                ...{ usedPaise: paise(0n), uses: 0, isEnded: false },
              })),
          ),
      }) as fc.Arbitrary<World>
    })
}

function tiers(amount: fc.Arbitrary<ReturnType<typeof paise>>): fc.Arbitrary<TierLimits> {
  const limit = fc.oneof({ weight: 4, arbitrary: fc.constant(UNLIMITED) }, amount)
  return fc.record({
    tier: fc.constant('tier1' as const),
    per_tx: limit,
    daily: fc.oneof(fc.constant(UNLIMITED), amount),
    monthly: limit,
    escrow_above: limit,
    approval_above: limit,
  })
}

const LISTS = fc.oneof({ weight: 3, arbitrary: fc.constant([ANY_PAYEE]) }, fc.subarray(NAMED))

function states(
  amount: fc.Arbitrary<ReturnType<typeof paise>>,
  later: fc.Arbitrary<number>,
): fc.Arbitrary<PolicyState> {
  const rare = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2 })
  const often = fc.option(amount, { freq: 1 })
  const policy: fc.Arbitrary<SpendPolicy> = fc.record({
    spend_limit_per_tx: often,
    spend_limit_hourly: often,
    spend_limit_daily: often,
    spend_limit_monthly: rare(amount),
    allowed_payees: LISTS,
    blocked_payee_agents: fc.oneof(fc.constant([]), fc.subarray(NAMED, { maxLength: 2 })),
    per_counterparty_daily_limit: often,
    max_counterparties_per_hour: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 1 }),
    require_escrow_above: rare(amount),
    require_human_approval_above: often,
  })
  const pending = fc
    .uniqueArray(fc.record({ control: fc.constantFrom(...POLICY_CONTROLS), later }), {
      maxLength: 2,
      selector: ({ control }) => control,
    })
    .chain(changes =>
      fc.tuple(
        ...changes.map(({ control, later: ms }) =>
          valueOf(control, amount).map(value => ({ control, value, effectiveAt: new Date(ms) })),
        ),
      ),
    )
  return fc.record({ policy, pending }).map(({ policy: of, pending: waits }) => ({
    policy: { ...OPEN_POLICY, ...of },
    pending: waits,
  }))
}

function valueOf(control: PolicyControl, amount: fc.Arbitrary<bigint>): fc.Arbitrary<unknown> {
  switch (control) {
    case 'allowed_payees':
      return LISTS.map(ids => ids.map(id => (id === ANY_PAYEE ? id : formatId('agt', id))))
    case 'blocked_payee_agents':
      return fc.subarray(NAMED).map(ids => ids.map(id => formatId('agt', id)))
    case 'max_counterparties_per_hour':
      return fc.option(fc.integer({ min: 0, max: 4 }))
    default:
      return fc.option(amount.map(of => rupees(of)))
  }
}

describe('the most that a payer can take out', () => {
  test('in an hour and a day is what a payer takes out that tries every payment', () => {
    fc.assert(
      fc.property(worlds(47), world => {
        expect(payAtOnce(world, HOUR_AND_DAY)).toEqual(byForce(world, HOUR_AND_DAY))
      }),
      { seed: SEED, numRuns: 400 * PROOF_LENGTH },
    )
  }, 600_000)

  test('in thirty days is what a payer takes out that tries every payment', () => {
    fc.assert(
      fc.property(worlds(1_430), world => {
        expect(payAtOnce(world, MONTH)).toEqual(byForce(world, MONTH))
      }),
      { seed: SEED, numRuns: 30 * PROOF_LENGTH },
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
  const sources = {
    tier: { tier: 'tier1', ...UNLIMITED_TIER } as const,
    ...{ owner: null, agent, budget: { limitPaise: null, pending: null } },
  }
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

const UNLIMITED_TIER = {
  ...{ per_tx: UNLIMITED, daily: UNLIMITED, monthly: UNLIMITED },
  ...{ escrow_above: UNLIMITED, approval_above: UNLIMITED },
}
