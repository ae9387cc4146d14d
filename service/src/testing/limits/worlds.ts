import { ANY_PAYEE, POLICY_CONTROLS, type PolicyControl } from '@batua/contract'
import fc from 'fast-check'
import type { PendingChange, PolicyState } from '../../domains/limits/change-policy.ts'
import { OPEN_POLICY, type SpendPolicy, type TierLimits } from '../../domains/limits/controls.ts'
import type { BudgetState } from '../../domains/limits/exposure/rules.ts'
import type { Allowance } from '../../domains/payments/allowances/allowance.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { type Paise, paise, rupees } from '../../kernel/money.ts'
import { PAYER, type Paid, type World } from './brute-payer.ts'

/** Everything in these worlds happens at a multiple of this time, at which a calendar day may begin too. */
export const TICK_MS = HOUR_MS / 2

const NAMED = [1, 2, 3].map(() => newUuid(new Date(0)))

/** An afternoon, the last evening of a month, the beginning of a day, the last hour of a year, all in IST. */
const STARTS = [
  '2026-11-20T09:30:00Z',
  '2026-11-30T16:30:00Z',
  '2026-11-20T18:30:00Z',
  '2026-12-31T18:00:00Z',
]

export const UNLIMITED = paise(10n ** 15n)

export const UNLIMITED_TIER: TierLimits = {
  ...{ tier: 'tier1', per_tx: UNLIMITED, daily: UNLIMITED, monthly: UNLIMITED },
  ...{ escrow_above: UNLIMITED, approval_above: UNLIMITED },
}

export const NO_BUDGET: BudgetState = { limitPaise: null, pending: null }

/** The controls that need to know whom the payer pays. With limits on sums beside them, these would hide them. */
const BY_PAYEE: readonly PolicyControl[] = [
  'spend_limit_per_tx',
  'allowed_payees',
  'per_counterparty_daily_limit',
  'max_counterparties_per_hour',
  'require_human_approval_above',
]

/** What the values of one world are made of. */
interface Values {
  /** Those that layers set. Without all of them, only the agent's own layer sets any. */
  readonly controls: readonly PolicyControl[]
  readonly nowMs: number
  readonly amount: fc.Arbitrary<Paise>
  /** A moment at which something changes. */
  readonly later: fc.Arbitrary<number>
}

/** Small worlds in which things change within so many ticks. */
export function worlds(ticks: number): fc.Arbitrary<World> {
  const scales = fc.record({
    unit: fc.constantFrom(1n, 40n, 700n, 9_000n),
    start: fc.constantFrom(...STARTS),
    controls: fc.constantFrom(POLICY_CONTROLS, BY_PAYEE),
  })
  return scales.chain(({ unit, start, controls }) => {
    const isByPayee = controls === BY_PAYEE
    const nowMs = Date.parse(start)
    const values: Values = {
      ...{ nowMs, controls },
      amount: fc
        .tuple(fc.oneof(fc.bigInt(1n, 8n), fc.bigInt(0n, 40n)), fc.bigInt(0n, 3n))
        .map(([units, more]) => paise(units * unit + more)),
      later: fc.integer({ min: 1, max: ticks }).map(tick => nowMs + tick * TICK_MS),
    }
    const large = fc.bigInt(1n, 100n).map(units => units * unit + 5_000n)
    return fc.record({
      nowMs: fc.constant(nowMs),
      status: fc.oneof(
        { weight: 29, arbitrary: fc.constant('active' as const) },
        fc.constant('paused' as const),
      ),
      balance: fc.oneof(fc.bigInt(0n, 12_000n), large, fc.constant(UNLIMITED)),
      sources: fc.record({
        tier: isByPayee ? fc.constant(UNLIMITED_TIER) : tiers(values),
        owner: isByPayee ? fc.constant(null) : fc.option(states(values), { freq: 1 }),
        budget: isByPayee ? fc.constant(NO_BUDGET) : budgets(values),
        agent: states(values),
      }),
      agents: agents(),
      history: histories(values),
      allowances: allowances(values),
    })
  })
}

function agents(): fc.Arbitrary<World['agents']> {
  const status = fc.constantFrom('active', 'active', 'active', 'quarantined', 'paused')
  return fc
    .tuple(...NAMED.map(() => status))
    .map(statuses => new Map(NAMED.map((id, index) => [id, statuses[index] ?? 'active'])))
}

function histories({ nowMs, amount }: Values): fc.Arbitrary<Paid[]> {
  const ago = fc.oneof(fc.integer({ min: 0, max: 49 }), fc.integer({ min: 0, max: 1_000 }))
  const paid = fc.record({
    payeeId: fc.constantFrom(...NAMED, 'elsewhere'),
    atMs: ago.map(ticks => nowMs - ticks * TICK_MS),
    amount: amount.map(of => of + 1n),
  })
  return fc.array(paid, { maxLength: 6 }).map(all => all.toSorted((left, right) => left.atMs - right.atMs))
}

function allowances({ nowMs, amount, later }: Values): fc.Arbitrary<Allowance[]> {
  const given = fc.record({
    payeeId: fc.constantFrom(...NAMED),
    amountPaise: amount.map(of => paise(of + 1n)),
    until: later.map(ms => new Date(ms)),
  })
  const fixed = { agentId: PAYER, approvalId: null, createdAt: new Date(nowMs), uses: 0, isEnded: false }
  return fc
    .array(given, { maxLength: 3 })
    .map(all =>
      all
        .toSorted((left, right) => left.until.getTime() - right.until.getTime())
        .map((each, index) => ({ ...fixed, ...each, id: String(index), usedPaise: paise(0n) })),
    )
}

function budgets({ amount, later }: Values): fc.Arbitrary<BudgetState> {
  const pending = fc.record({
    limitPaise: fc.option(amount),
    effectiveAt: later.map(ms => new Date(ms)),
  })
  return fc.record({
    limitPaise: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, amount),
    pending: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, pending),
  })
}

function tiers({ amount }: Values): fc.Arbitrary<TierLimits> {
  const limit = fc.oneof({ weight: 9, arbitrary: fc.constant(UNLIMITED) }, amount)
  return fc.record({
    tier: fc.constant('tier1' as const),
    per_tx: limit,
    daily: fc.oneof({ weight: 4, arbitrary: fc.constant(UNLIMITED) }, amount),
    monthly: limit,
    escrow_above: limit,
    approval_above: limit,
  })
}

const LISTS: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([ANY_PAYEE]) },
  fc.subarray(NAMED),
)

function states(values: Values): fc.Arbitrary<PolicyState> {
  const changes = fc.uniqueArray(fc.constantFrom(...values.controls), { maxLength: 2 })
  return fc.record({
    policy: policies(values),
    pending: changes.chain(controls => fc.tuple(...controls.map(control => pendingOf(control, values)))),
  })
}

/** A few controls at a time: with all of them, hardly anything could ever be paid. */
function policies(values: Values): fc.Arbitrary<SpendPolicy> {
  return fc.subarray([...values.controls], { minLength: 1, maxLength: 4 }).chain(controls => {
    const stored = controls.map(control => [control, storedValue(control, values)])
    const set: fc.Arbitrary<Partial<SpendPolicy>> = fc.record(Object.fromEntries(stored))
    return set.map(policy => ({ ...OPEN_POLICY, ...policy }))
  })
}

function storedValue(control: PolicyControl, { amount }: Values): fc.Arbitrary<SpendPolicy[PolicyControl]> {
  switch (control) {
    case 'allowed_payees':
      return fc.subarray(NAMED, { minLength: 1 })
    case 'blocked_payee_agents':
      return fc.subarray(NAMED, { maxLength: 2 })
    case 'max_counterparties_per_hour':
      return few
    default:
      return amount
  }
}

/** How many payees: none is rare, because it hides everything else. */
const few = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constant(0))

/** A change that waits, as a caller wrote it; it need not loosen the policy. */
function pendingOf(control: PolicyControl, values: Values): fc.Arbitrary<PendingChange> {
  return fc.record({
    control: fc.constant(control),
    value: written(control, values),
    effectiveAt: values.later.map(ms => new Date(ms)),
  })
}

function written(control: PolicyControl, { amount }: Values): fc.Arbitrary<unknown> {
  const ids = (of: readonly string[]) => of.map(id => (id === ANY_PAYEE ? id : formatId('agt', id)))
  switch (control) {
    case 'allowed_payees':
      return LISTS.map(ids)
    case 'blocked_payee_agents':
      return fc.subarray(NAMED).map(ids)
    case 'max_counterparties_per_hour':
      return fc.option(few)
    default:
      return fc.option(amount.map(of => rupees(of)))
  }
}
