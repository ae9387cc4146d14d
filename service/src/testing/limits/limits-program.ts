import { POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import fc from 'fast-check'
import type { ControlColumns } from '../builders.ts'
import { CONTROLS_OF } from './layers.ts'

/** The first wallets are payers; all are payees. */
export const PAYERS = 2
export const WALLETS = 5

/** Controls with numbers of wallets instead of ids. */
export type Wish = Omit<ControlColumns, 'allowed_payees' | 'blocked_payee_agents'> & {
  readonly allowed?: readonly number[]
  readonly blocked?: readonly number[]
}

/** Moves of the clocks: small, large, and to the edges of windows. */
export type Jump =
  | { readonly to: 'later'; readonly ms: number }
  | { readonly to: 'fall'; readonly payment: number; readonly hours: number; readonly offMs: number }
  | { readonly to: 'midnight' | 'month'; readonly offMs: number }

export type Step =
  | {
      readonly do: 'pay'
      readonly node: number
      readonly payer: number
      readonly payee: number
      readonly by: number
      readonly amount: bigint
      readonly simulate: boolean
    }
  /** A payment for which the owner is asked, whatever the amount. */
  | {
      readonly do: 'ask'
      readonly node: number
      readonly payer: number
      readonly payee: number
      readonly by: number
      readonly amount: bigint
    }
  /** The index among the payments that wait. */
  | { readonly do: 'approve'; readonly node: number; readonly payer: number; readonly approval: number }
  | {
      readonly do: 'connect'
      readonly node: number
      readonly payer: number
      readonly place: number
      readonly cap: AppCap
    }
  | { readonly do: 'disconnect'; readonly node: number; readonly payer: number; readonly place: number }
  /** The largest amount allowed, or one paisa more. */
  | {
      readonly do: 'brim'
      readonly node: number
      readonly payer: number
      readonly payee: number
      readonly by: number
      readonly over: boolean
    }
  | {
      readonly do: 'look'
      readonly node: number
      readonly payer: number
      readonly payee: number | null
      readonly by: number
    }
  | { readonly do: 'set'; readonly payer: number; readonly layer: PolicyLayer; readonly wish: Wish }
  | { readonly do: 'wait'; readonly clocks: readonly number[]; readonly jump: Jump }
  | { readonly do: 'race'; readonly payer: number; readonly payments: readonly Payment[] }
  /** A hold, with or without a recipient. */
  | {
      readonly do: 'hold'
      readonly node: number
      readonly payer: number
      readonly payee: number | null
      readonly by: number
      readonly amount: bigint
    }
  /** The index among the open escrows. */
  | {
      readonly do: 'end'
      readonly node: number
      readonly payer: number
      readonly escrow: number
      readonly how: 'refund' | 'release'
      /** The recipient of a release, if the hold had none. */
      readonly payee: number
    }
  /** An allocation to a member; the payer is the treasury. */
  | {
      readonly do: 'allocate'
      readonly node: number
      readonly payer: number
      readonly payee: number
      readonly amount: bigint
    }
  /**
   * Payments, holds and allocations, while this many open escrows are refunded, this many payments that wait are
   * approved, and the app in a place is disconnected; null: none is.
   */
  | {
      readonly do: 'mix'
      readonly payer: number
      readonly payments: readonly Payment[]
      readonly holds: readonly Hold[]
      readonly allocations: readonly Payment[]
      readonly approvals: number
      readonly disconnected: number | null
      readonly refunds: number
      /** How many holds without a recipient are released at once to this wallet and the next. */
      readonly releases: number
      readonly payee: number
    }

/** Who asks: the app in this place of the payer; the agent itself in place 0 and while no app is in it. */
export interface Asker {
  readonly by: number
}

export interface Payment extends Asker {
  readonly payee: number
  readonly amount: bigint
}

/** What an owner allows an app: paise, and for how long. */
export interface AppCap {
  readonly daily: bigint
  readonly perTx: bigint
  readonly days: number
}

export interface Hold extends Omit<Payment, 'payee'> {
  readonly payee: number | null
}

export interface LimitsProgram {
  readonly startMs: number
  readonly steps: readonly Step[]
}

const node = fc.integer({ min: 0, max: 1 })
const payer = fc.integer({ min: 0, max: PAYERS - 1 })
const wallet = fc.integer({ min: 0, max: WALLETS - 1 })
const amount = fc.bigInt(1n, 60n)
const place = fc.integer({ min: 1, max: 2 })
const by = fc.constantFrom(0, 1, 1, 2)
const payment = fc.record({ payee: wallet, by, amount })
const limit = fc.oneof(
  { weight: 9, arbitrary: fc.bigInt(30n, 300n) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0n, 1n) },
)
const offMs = fc.integer({ min: -1, max: 1 })

const limits = {
  spend_limit_per_tx_paise: limit,
  spend_limit_hourly_paise: limit,
  spend_limit_daily_paise: limit,
  spend_limit_monthly_paise: fc.bigInt(50n, 800n),
  per_counterparty_daily_limit_paise: limit,
  max_counterparties_per_hour: fc.option(fc.integer({ min: 0, max: 4 })),
  require_escrow_above_paise: limit,
  require_human_approval_above_paise: limit,
}
const lists = {
  allowed: fc.uniqueArray(wallet, { minLength: 3 }),
  blocked: fc.uniqueArray(wallet, { maxLength: 1 }),
}

const everyWish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 4, arbitrary: fc.record(limits, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record({ ...limits, ...lists }, { requiredKeys: [] }) },
)

/** Removes controls that the layer cannot have. */
function wishOf(layer: PolicyLayer): fc.Arbitrary<Wish> {
  const columns = new Set<string>(CONTROLS_OF[layer])
  if (columns.has('allowed_payees')) return everyWish
  return everyWish.map(
    wish => Object.fromEntries(Object.entries(wish).filter(([column]) => columns.has(column))) as Wish,
  )
}

const jump: fc.Arbitrary<Jump> = fc.oneof(
  fc.record({ to: fc.constant('later' as const), ms: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ to: fc.constant('later' as const), ms: fc.integer({ min: 0, max: 50 * 60_000 }) }),
  fc.record({ to: fc.constant('later' as const), ms: fc.integer({ min: 0, max: 21 * 86_400_000 }) }),
  fc.record({
    to: fc.constant('fall' as const),
    payment: fc.nat({ max: 4 }),
    hours: fc.constantFrom(1, 1, 24),
    offMs,
  }),
  fc.record({ to: fc.constantFrom('midnight' as const, 'month' as const), offMs }),
)

const setStep: fc.Arbitrary<Step> = fc
  .constantFrom(...POLICY_LAYERS)
  .chain(layer =>
    fc.record({ do: fc.constant('set' as const), payer, layer: fc.constant(layer), wish: wishOf(layer) }),
  )

const escrowStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      node,
      payer,
      payee: fc.option(wallet, { freq: 3 }),
      by,
      amount,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      node,
      payer,
      escrow: fc.nat({ max: 5 }),
      how: fc.constantFrom('refund' as const, 'release' as const),
      payee: wallet,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mix' as const),
      payer,
      payments: fc.array(payment, { maxLength: 6 }),
      holds: fc.array(fc.record({ payee: fc.option(wallet), by, amount }), { maxLength: 4 }),
      allocations: fc.array(fc.record({ payee: wallet, by: fc.constant(0), amount }), { maxLength: 4 }),
      approvals: fc.integer({ min: 0, max: 3 }),
      disconnected: fc.constantFrom(null, null, null, 1, 2),
      refunds: fc.integer({ min: 1, max: 4 }),
      releases: fc.integer({ min: 0, max: 3 }),
      payee: wallet,
    }),
  },
)

const connectStep: fc.Arbitrary<Step> = fc.record({
  ...{ do: fc.constant('connect' as const), node, payer, place },
  cap: fc.record({
    ...{ daily: fc.bigInt(20n, 90n), perTx: fc.bigInt(15n, 60n), days: fc.constantFrom(1, 365, 365, 365) },
  }),
})

const appStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: connectStep },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('disconnect' as const), node, payer, place }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      node,
      payer,
      payee: wallet,
      by,
      amount: fc.bigInt(1n, 20n),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('approve' as const), node, payer, approval: fc.nat({ max: 9 }) }),
  },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: escrowStep },
  { weight: 8, arbitrary: appStep },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      node,
      payer,
      payee: wallet,
      by,
      amount,
      simulate: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('allocate' as const), node, payer, payee: wallet, amount }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('brim' as const),
      node,
      payer,
      payee: wallet,
      by,
      over: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('look' as const), node, payer, payee: fc.option(wallet), by }),
  },
  { weight: 3, arbitrary: setStep },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      clocks: fc.constantFrom([0], [1], [0, 1], [0, 1]),
      jump,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('race' as const),
      payer,
      payments: fc.array(payment, { minLength: 2, maxLength: 8 }),
    }),
  },
)

/** Programs that begin at any date, also at the end of a month and in a leap year. */
export function limitsPrograms(steps: number): fc.Arbitrary<LimitsProgram> {
  const starts = [
    '2026-11-20T06:30:00.000Z',
    '2026-11-30T18:00:00.000Z',
    '2026-12-31T18:29:59.990Z',
    '2028-02-28T18:29:00.000Z',
  ]
  const setUp = fc
    .tuple(
      fc.array(setStep, { minLength: 2, maxLength: 4 }),
      fc.array(connectStep, { minLength: 1, maxLength: 3 }),
    )
    .map(([set, connected]) => [...set, ...connected])
  return fc.record({
    startMs: fc.constantFrom(...starts.map(start => Date.parse(start))),
    steps: fc
      .tuple(setUp, fc.array(step, { minLength: steps / 2, maxLength: steps }))
      .map(([first, rest]) => [...first, ...rest]),
  })
}
