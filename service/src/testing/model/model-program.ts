import { AGENT_STATUSES, type AgentStatus } from '@batua/contract'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, istDay, istMonth, startOfIstDay, startOfIstMonth } from '../../kernel/clock.ts'
import type { ModelControls, ModelTransfer } from './wallet-model.ts'

/** The number of wallets of a program; commands name them by number. */
export const MODEL_WALLETS = 5

/** Commands of a round are submitted together; before them the clock moves and an agent may change. */
export interface Round {
  readonly advance: Advance
  readonly change: Change | null
  /** The change runs concurrently with the commands instead of before them. */
  readonly beside: boolean
  readonly commands: readonly ModelCommand[]
}

export type Advance =
  | { readonly to: 'later'; readonly ms: number }
  | { readonly to: 'midnight' | 'month end'; readonly ms: number }
  /** To the moment at which an earlier payment leaves its hour or its 24 hours. */
  | { readonly to: 'hour end' | 'day end'; readonly which: number; readonly ms: number }

export type Change =
  | { readonly what: 'controls'; readonly wallet: number; readonly controls: ProgramControls }
  | { readonly what: 'status'; readonly wallet: number; readonly status: AgentStatus }
  | { readonly what: 'key'; readonly wallet: number }

/** Controls whose lists name wallets by number. */
export type ProgramControls = Omit<ModelControls, 'allowed' | 'blocked'> & {
  readonly allowed: readonly number[] | null
  readonly blocked: readonly number[]
}

export type ModelCommand =
  | { readonly do: 'fund'; readonly wallet: number; readonly amount: bigint }
  | {
      readonly do: 'pay'
      readonly payer: number
      /** A number beyond the wallets names no wallet. */
      readonly payee: number
      readonly amount: bigint
      readonly key: string | null
      readonly reference: string | null
      readonly unique: boolean
      readonly staleKey: boolean
    }
  | {
      readonly do: 'refund'
      readonly which: number
      readonly amount: bigint | null
      readonly key: string | null
      readonly staleKey: boolean
    }

const letters = (...all: string[]): fc.Arbitrary<string> => fc.constantFrom(...all)
const wallet = fc.nat(MODEL_WALLETS - 1)
const amount = fc.oneof(fc.bigInt(1n, 3_000n), fc.constantFrom(1n, 100n, 1_000n, 20_100n, 30_000n))
/** Few keys and references, so that they repeat. */
const key = fc.option(letters('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { freq: 2 })
const reference = fc.option(letters('r', 's', 't', 'u'), { freq: 2 })
const rarely = fc.nat(19).map(drawn => drawn === 0)

const pay: fc.Arbitrary<ModelCommand> = fc
  .record({
    do: fc.constant('pay' as const),
    payer: wallet,
    payee: fc.oneof({ weight: 30, arbitrary: wallet }, { weight: 1, arbitrary: fc.constant(MODEL_WALLETS) }),
    amount,
    key: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: key }),
    reference,
    unique: fc.boolean(),
    staleKey: rarely,
    selfToo: rarely,
  })
  // Sometimes an agent pays itself; usually it pays the next.
  .map(({ selfToo, ...each }) =>
    each.payer === each.payee && !selfToo ? { ...each, payee: (each.payee + 1) % MODEL_WALLETS } : each,
  )

const fund: fc.Arbitrary<ModelCommand> = fc.record({
  do: fc.constant('fund' as const),
  wallet,
  amount: fc.bigInt(1n, 20_000n),
})

const refund: fc.Arbitrary<ModelCommand> = fc.record({
  do: fc.constant('refund' as const),
  which: fc.nat(30),
  amount: fc.option(amount),
  key: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: key }),
  staleKey: rarely,
})

const command = fc.oneof(
  { weight: 8, arbitrary: pay },
  { weight: 1, arbitrary: fund },
  { weight: 2, arbitrary: refund },
)

const nearby = fc.constantFrom(-1, 0, 1)
const advance: fc.Arbitrary<Advance> = fc.oneof(
  fc.record({ to: fc.constant('later' as const), ms: fc.constantFrom(0, 0, 0, 1, 1_000) }),
  fc.record({
    to: fc.constant('later' as const),
    ms: fc.oneof(fc.nat(HOUR_MS), fc.nat(DAY_MS), fc.nat(20 * DAY_MS)),
  }),
  fc.record({ to: fc.constantFrom('midnight' as const, 'month end' as const), ms: nearby }),
  fc.record({ to: fc.constantFrom('hour end' as const, 'day end' as const), which: fc.nat(12), ms: nearby }),
)

const limit = fc.option(fc.bigInt(0n, 9_000n), { freq: 2 })
const someWallets = fc.uniqueArray(wallet, { maxLength: MODEL_WALLETS })
const controls: fc.Arbitrary<ProgramControls> = fc.record({
  perTx: limit,
  hourly: limit,
  daily: limit,
  monthly: fc.option(fc.bigInt(0n, 30_000n), { freq: 2 }),
  perCounterparty: limit,
  maxCounterparties: fc.option(fc.nat(4), { freq: 2 }),
  allowed: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: someWallets }),
  blocked: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someWallets }),
})

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('controls' as const), wallet, controls }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('status' as const),
      wallet,
      status: fc.oneof(
        { weight: 3, arbitrary: fc.constant('active' as const) },
        { weight: 1, arbitrary: fc.constantFrom(...AGENT_STATUSES) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('key' as const), wallet }) },
)

/** When programs begin: shortly before a year, a leap day or a day ends, or at any moment of a day. */
const starts = fc.oneof(
  fc
    .constantFrom('2027-12-31T18:00:00.000Z', '2028-02-28T17:00:00.000Z', '2026-11-20T18:29:59.999Z')
    .map(Date.parse),
  fc.nat(DAY_MS).map(ms => Date.parse('2026-11-20T00:00:00.000Z') + ms),
)

export interface Program {
  readonly startMs: number
  readonly rounds: readonly Round[]
}

/** Programs with at most this many rounds and commands per round. */
export function programs(rounds: number, commands: number): fc.Arbitrary<Program> {
  const round: fc.Arbitrary<Round> = fc.record({
    advance,
    change: fc.option(change, { freq: 3 }),
    beside: fc.boolean(),
    commands: fc.array(command, { minLength: 1, maxLength: commands, size: 'max' }),
  })
  return fc.record({
    startMs: starts,
    rounds: fc.array(round, { minLength: Math.min(20, rounds), maxLength: rounds, size: 'max' }),
  })
}

/** The moment to which a step moves the clock; never back. */
export function momentAfter(nowMs: number, advance: Advance, history: readonly ModelTransfer[]): number {
  return Math.max(nowMs, target(nowMs, advance, history) + advance.ms)
}

function target(nowMs: number, advance: Advance, history: readonly ModelTransfer[]): number {
  switch (advance.to) {
    case 'later':
      return nowMs
    case 'midnight':
      return startOfIstDay(istDay(new Date(nowMs)) + 1).getTime()
    case 'month end':
      return startOfIstMonth(istMonth(new Date(nowMs)) + 1).getTime()
    case 'hour end':
      return (history.at(-1 - advance.which)?.postedMs ?? nowMs) + HOUR_MS
    case 'day end':
      return (history.at(-1 - advance.which)?.postedMs ?? nowMs) + DAY_MS
  }
}
