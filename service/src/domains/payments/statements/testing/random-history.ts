import fc from 'fast-check'
import { holdMoney, refundHold, releaseHold } from './escrow-history.ts'
import { endPayout, PAYOUT_ENDS, type PayoutEnd, payOut } from './payout-history.ts'
import {
  allocate,
  completeFunding,
  failFunding,
  type History,
  type HistoryAgent,
  openFunding,
  pay,
  refund,
  reverseFunding,
} from './wallet-history.ts'

/** One event. `pick` chooses among what happened before; what is impossible is left out. */
export type Step =
  | {
      readonly do: 'pay'
      readonly from: number
      readonly to: number
      readonly paise: bigint
      readonly reference: string | null
    }
  | { readonly do: 'allocate'; readonly from: number; readonly to: number; readonly paise: bigint }
  | { readonly do: 'refund'; readonly pick: number; readonly paise: bigint }
  | { readonly do: 'open'; readonly agent: number; readonly paise: bigint }
  | { readonly do: 'complete'; readonly pick: number; readonly fee: bigint }
  | { readonly do: 'fail' | 'reverse'; readonly pick: number }
  | {
      readonly do: 'hold'
      readonly from: number
      readonly to: number | null
      readonly paise: bigint
      readonly reference: string | null
    }
  | { readonly do: 'release'; readonly pick: number; readonly to: number }
  | { readonly do: 'give back'; readonly pick: number }
  | {
      readonly do: 'pay out'
      readonly agent: number
      readonly paise: bigint
      readonly kind: 'withdraw' | 'settlement'
    }
  | { readonly do: 'end payout'; readonly pick: number; readonly end: PayoutEnd }

export const WALLETS = ['One', 'Two', 'Three'] as const

const wallet = fc.nat(WALLETS.length - 1)
const smallPaise = fc.bigInt({ min: 1n, max: 5_000n })
const fundedPaise = fc.bigInt({ min: 5_000n, max: 9_000n })
const feePaise = fc.bigInt({ min: 0n, max: 200n })
const reference = fc.option(fc.constantFrom('a', 'b"\\', '\u{1F600}'))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      from: wallet,
      to: wallet,
      paise: smallPaise,
      reference,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('open' as const), agent: wallet, paise: fundedPaise }),
  },
  fc.record({ do: fc.constant('allocate' as const), from: wallet, to: wallet, paise: smallPaise }),
  fc.record({ do: fc.constant('refund' as const), pick: fc.nat(), paise: smallPaise }),
  fc.record({ do: fc.constant('complete' as const), pick: fc.nat(), fee: feePaise }),
  fc.record({ do: fc.constantFrom('fail' as const, 'reverse' as const), pick: fc.nat() }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      from: wallet,
      to: fc.option(wallet),
      paise: smallPaise,
      reference,
    }),
  },
  fc.record({ do: fc.constant('release' as const), pick: fc.nat(), to: wallet }),
  fc.record({ do: fc.constant('give back' as const), pick: fc.nat() }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pay out' as const),
      agent: wallet,
      paise: smallPaise,
      kind: fc.constantFrom('withdraw' as const, 'settlement' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('end payout' as const),
      pick: fc.nat(),
      end: fc.constantFrom(...PAYOUT_ENDS),
    }),
  },
)

const HALF_HOUR_MS = 30 * 60_000
const MORE_THAN_A_DAY_MS = 26 * 60 * 60_000

/** How far the clock moves before a step: often not at all, so that many lines share one moment. */
const pause = fc.constantFrom(0, 0, 0, 1, 999, HALF_HOUR_MS, MORE_THAN_A_DAY_MS)

export const randomSteps = fc.array(fc.tuple(pause, step), {
  minLength: 10,
  maxLength: 100,
  size: 'max',
})

export async function take(history: History, wallets: readonly HistoryAgent[], next: Step): Promise<void> {
  switch (next.do) {
    case 'pay': {
      const [from, to] = [wallets[next.from], wallets[next.to]]
      if (from === undefined || to === undefined || from === to) return
      await pay(history, from, to, next.paise, { reference: next.reference, note: null })
      return
    }
    case 'allocate': {
      const [from, to] = [wallets[next.from], wallets[next.to]]
      if (from !== undefined && to !== undefined && from !== to) await allocate(history, from, to, next.paise)
      return
    }
    case 'refund': {
      const payment = picked(history.payments, next.pick)
      if (payment !== undefined) await refund(history, payment, next.paise)
      return
    }
    case 'open': {
      const agent = wallets[next.agent]
      if (agent !== undefined) await openFunding(history, agent, next.paise)
      return
    }
    case 'complete':
    case 'fail':
    case 'reverse':
      return changeFunding(history, next)
    default:
      await setAside(history, wallets, next)
  }
}

type WaitingStep = Extract<Step, { do: 'hold' | 'release' | 'give back' | 'pay out' | 'end payout' }>

async function setAside(
  history: History,
  wallets: readonly HistoryAgent[],
  next: WaitingStep,
): Promise<void> {
  switch (next.do) {
    case 'hold': {
      const [from, to] = [wallets[next.from], next.to === null ? null : wallets[next.to]]
      if (from === undefined || to === undefined || from === to) return
      await holdMoney(history, from, to, next.paise, { reference: next.reference, note: null })
      return
    }
    case 'release':
    case 'give back': {
      const hold = picked(history.holds, next.pick)
      if (hold?.line.record.status !== 'pending') return
      const payee = next.do === 'release' ? wallets[next.to] : undefined
      if (next.do === 'give back') await refundHold(history, hold)
      else if (payee !== undefined && payee !== hold.payer) await releaseHold(history, hold, payee)
      return
    }
    case 'pay out': {
      const agent = wallets[next.agent]
      if (agent !== undefined) await payOut(history, agent, next.paise, next.kind)
      return
    }
    case 'end payout': {
      const payout = picked(history.payouts, next.pick)
      if (payout !== undefined) await endPayout(history, payout, next.end)
    }
  }
}

type FundingStep = Extract<Step, { do: 'complete' | 'fail' | 'reverse' }>

async function changeFunding(history: History, next: FundingStep): Promise<void> {
  const funding = picked(history.fundings, next.pick)
  const wanted = next.do === 'reverse' ? 'completed' : 'pending'
  if (funding?.line.record.status !== wanted) return
  if (next.do === 'complete') await completeFunding(history, funding, next.fee)
  else if (next.do === 'fail')
    await failFunding(history, funding, funding.amountPaise % 2n === 0n ? null : 1n)
  else await reverseFunding(history, funding)
}

function picked<T>(things: readonly T[], pick: number): T | undefined {
  return things[pick % Math.max(1, things.length)]
}
