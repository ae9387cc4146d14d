import { addFigures, type Figure, type LabelledFigure, type Metrics } from '../../kernel/metrics.ts'
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
    name: 'book_difference_paise',
    help: 'What the book has more than its records say',
    label: 'of',
    values: ({ sums }) => (sums === null ? {} : differences(sums)),
  },
  {
    name: 'book_balance_paise',
    help: 'What the accounts of the system, and all wallets, held at the last round',
    label: 'account',
    values: ({ sums }) =>
      Object.fromEntries(Object.entries(sums?.balances ?? {}).map(([name, paise]) => [name, Number(paise)])),
  },
]

function differences(sums: NonNullable<CheckStatus['sums']>): Record<string, number> {
  return {
    wallets: Number(sums.walletsDifference),
    escrow: Number(sums.escrowDifference),
    payouts: Number(sums.payoutsDifference),
  }
}
