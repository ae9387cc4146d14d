import { addFigures, type LabelledFigure, type Metrics } from '../../../kernel/metrics.ts'
import { checkFigures, type ScanStatus } from '../../../operations/scan.ts'
import type { LedgerCheckContext } from '../context.ts'
import { type CheckedLedger, LEDGER_CHECK, readLedgerCheck } from './check-ledger.ts'
import type { Position } from './prove-slice.ts'

/** Metrics of the ledger check. They show no balances. */
export function addLedgerCheckMetrics(
  metrics: Metrics,
  { database, clock }: Pick<LedgerCheckContext, 'database' | 'clock'>,
): void {
  const figures = [
    ...checkFigures<Status>(LEDGER_CHECK, ['book_balanced', 'book_faults', 'book_seconds_since_round']),
    ...FIGURES,
    AGREEMENTS,
  ]
  addFigures(metrics, figures, async () => ({ ...(await readLedgerCheck(database)), now: clock.now() }))
}

interface Status extends ScanStatus<Position, CheckedLedger> {
  readonly now: Date
}

const FIGURES = [
  {
    name: 'book_wallets_checked',
    help: 'Wallets checked in the current round of the ledger check',
    value: ({ cursor }: Status) => cursor?.walletsChecked ?? 0,
  },
  {
    name: 'book_round_wallets',
    help: 'Wallets checked in the last complete round of the ledger check',
    value: ({ result }: Status) => result?.wallets ?? 0,
  },
]

const AGREEMENTS: LabelledFigure<Status> = {
  name: 'book_agrees',
  help: '1 if the ledger balance matched its records in the last round, else 0; the overview shows the amounts',
  label: 'of',
  values({ result }) {
    if (result === null) return {}
    const { walletsDifference, escrowDifference, payoutsDifference } = result.sums
    const flag = (difference: bigint) => (difference === 0n ? 1 : 0)
    return {
      wallets: flag(walletsDifference),
      escrow: flag(escrowDifference),
      payouts: flag(payoutsDifference),
    }
  },
}
