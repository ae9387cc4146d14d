import fc from 'fast-check'
import {
  completeFunding,
  failFunding,
  type History,
  type HistoryAgent,
  openFunding,
  pay,
  refund,
  reverseFunding,
} from './wallet-history.ts'

/** One thing that happens. `pick` chooses among what has happened before; what cannot be done is left out. */
export type Step =
  | {
      readonly do: 'pay'
      readonly from: number
      readonly to: number
      readonly paise: bigint
      readonly reference: string | null
    }
  | { readonly do: 'refund'; readonly pick: number; readonly paise: bigint }
  | { readonly do: 'open'; readonly agent: number; readonly paise: bigint }
  | { readonly do: 'complete'; readonly pick: number; readonly fee: bigint }
  | { readonly do: 'fail' | 'reverse'; readonly pick: number }

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
  fc.record({ do: fc.constant('refund' as const), pick: fc.nat(), paise: smallPaise }),
  fc.record({ do: fc.constant('complete' as const), pick: fc.nat(), fee: feePaise }),
  fc.record({ do: fc.constantFrom('fail' as const, 'reverse' as const), pick: fc.nat() }),
)

const HALF_HOUR_MS = 30 * 60_000
const MORE_THAN_A_DAY_MS = 26 * 60 * 60_000

/** How far the clock goes before a step: often not at all, so that many lines share one moment. */
const pause = fc.constantFrom(0, 0, 0, 1, 999, HALF_HOUR_MS, MORE_THAN_A_DAY_MS)

export const randomSteps = fc.array(fc.tuple(pause, step), {
  minLength: 10,
  maxLength: 80,
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
    default:
      await changeFunding(history, next)
  }
}

type FundingStep = Extract<Step, { do: 'complete' | 'fail' | 'reverse' }>

async function changeFunding(history: History, next: FundingStep): Promise<void> {
  const funding = picked(history.fundings, next.pick)
  const wanted = next.do === 'reverse' ? 'completed' : 'pending'
  if (funding?.line.record.status !== wanted) return
  if (next.do === 'complete') await completeFunding(history, funding, next.fee)
  else if (next.do === 'fail') await failFunding(history, funding)
  else await reverseFunding(history, funding)
}

function picked<T>(things: readonly T[], pick: number): T | undefined {
  return things[pick % Math.max(1, things.length)]
}
