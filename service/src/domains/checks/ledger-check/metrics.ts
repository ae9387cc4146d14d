import { addFigures, type Figure, type LabelledFigure, type Metrics } from '../../../kernel/metrics.ts'
import type { IntegrityContext } from './context.ts'
import { type CheckStatus, readStatus } from './store.ts'

/** What the check of the book has come to. */
export function addIntegrityMetrics(
  metrics: Metrics,
  { database, clock }: Pick<IntegrityContext, 'database' | 'clock'>,
): void {
  addFigures(metrics, FIGURES, async () => ({ ...(await readStatus(database)), now: clock.now() }))
}

interface Status extends CheckStatus {
  readonly now: Date
}

const FIGURES: readonly (Figure<Status> | LabelledFigure<Status>)[] = [
  {
    name: 'book_balanced',
    help: 'Whether the book is right: 1, or 0; no number before the first whole round',
    value: ({ faults, checkedAt }) => (faults > 0 ? 0 : checkedAt === null ? Number.NaN : 1),
  },
  {
    name: 'book_faults',
    help: 'Faults of the book that were found and have not healed',
    value: ({ faults }) => faults,
  },
  {
    name: 'book_wallets_checked',
    help: 'Wallets that the round under way has checked',
    value: ({ walletsChecked }) => walletsChecked,
  },
  {
    name: 'book_round_wallets',
    help: 'Wallets that the last whole round checked',
    value: ({ lastWallets }) => lastWallets,
  },
  {
    name: 'book_seconds_since_round',
    help: 'Seconds since the last whole round ended',
    value: ({ checkedAt, now }) =>
      checkedAt === null ? Number.NaN : (now.getTime() - checkedAt.getTime()) / 1_000,
  },
  {
    name: 'book_agrees',
    help: 'Whether the book held what its records say at the last round: 1, or 0; the overview shows the amounts',
    label: 'of',
    values: ({ sums }) => (sums === null ? {} : agreements(sums)),
  },
]

function agreements(sums: NonNullable<CheckStatus['sums']>): Record<string, number> {
  const flag = (difference: string) => (BigInt(difference) === 0n ? 1 : 0)
  return {
    wallets: flag(sums.walletsDifference),
    escrow: flag(sums.escrowDifference),
    payouts: flag(sums.payoutsDifference),
  }
}
