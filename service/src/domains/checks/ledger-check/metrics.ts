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
    help: '1 if the ledger check found no fault, else 0; NaN before the first complete round',
    value: ({ faults, checkedAt }) => (faults > 0 ? 0 : checkedAt === null ? Number.NaN : 1),
  },
  {
    name: 'book_faults',
    help: 'Open faults of the ledger that the ledger check found',
    value: ({ faults }) => faults,
  },
  {
    name: 'book_wallets_checked',
    help: 'Wallets checked in the current round of the ledger check',
    value: ({ walletsChecked }) => walletsChecked,
  },
  {
    name: 'book_round_wallets',
    help: 'Wallets checked in the last complete round of the ledger check',
    value: ({ lastWallets }) => lastWallets,
  },
  {
    name: 'book_seconds_since_round',
    help: 'Seconds since the last complete round of the ledger check ended',
    value: ({ checkedAt, now }) =>
      checkedAt === null ? Number.NaN : (now.getTime() - checkedAt.getTime()) / 1_000,
  },
  {
    name: 'book_agrees',
    help: '1 if the ledger balance matched its records in the last round, else 0; the overview shows the amounts',
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
