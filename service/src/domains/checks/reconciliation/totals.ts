import { type Paise, paise } from '../../../kernel/money.ts'

/**
 * What a run counts. The first four are asked about one by one. The others stand in the gateway's records: `payments`
 * that we know of, `charges` on them against the fees that we took, `settlements`, and `foreign` movements, whose orders
 * are not named as ours are.
 */
export const TOTAL_NAMES = [
  'fundings',
  'refunds',
  'chargebacks',
  'payouts',
  'payments',
  'charges',
  'settlements',
  'foreign',
] as const
export type TotalName = (typeof TOTAL_NAMES)[number]

/** In how many of those compared money moved, and what they come to on each side. */
export interface Total {
  readonly count: number
  readonly oursPaise: Paise
  readonly theirsPaise: Paise
}

export type Totals = Readonly<Record<TotalName, Total>>

/** What one step adds. */
export type Counted = readonly (readonly [name: TotalName, oursPaise: bigint, theirsPaise: bigint])[]

export function addTotals(totals: Totals, counted: Counted): Totals {
  const sums = { ...totals }
  for (const [name, ours, theirs] of counted) {
    // Looked at, and no money moved on either side.
    if (ours === 0n && theirs === 0n) continue
    const { count, oursPaise, theirsPaise } = sums[name]
    sums[name] = {
      count: count + 1,
      oursPaise: paise(oursPaise + ours),
      theirsPaise: paise(theirsPaise + theirs),
    }
  }
  return sums
}

type StoredTotals = Partial<Record<TotalName, readonly [count: number, ours: string, theirs: string]>>

/** JSON has no whole numbers of this size, so sums are kept as digits. */
export function storedTotals(totals: Totals): string {
  const stored: StoredTotals = {}
  for (const name of TOTAL_NAMES) {
    const { count, oursPaise, theirsPaise } = totals[name]
    stored[name] = [count, String(oursPaise), String(theirsPaise)]
  }
  return JSON.stringify(stored)
}

export function totalsFrom(stored: object): Totals {
  const given: StoredTotals = stored
  const entries = TOTAL_NAMES.map(name => {
    const [count, ours, theirs] = given[name] ?? [0, '0', '0']
    return [name, { count, oursPaise: paise(BigInt(ours)), theirsPaise: paise(BigInt(theirs)) }] as const
  })
  return Object.fromEntries(entries) as Record<TotalName, Total>
}
