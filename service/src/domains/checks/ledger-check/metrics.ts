import { addFigures, type Figures, type Metrics } from '../../../kernel/metrics.ts'
import { checkFigures, type ScanStatus } from '../../../operations/scan.ts'
import type { LedgerCheckContext } from '../context.ts'
import { type CheckedLedger, readLedgerCheck } from './check-ledger.ts'
import type { Position } from './prove-slice.ts'

/** Metrics of the ledger check. They show no balances. */
export function addLedgerCheckMetrics(
  metrics: Metrics,
  { database, clock }: Pick<LedgerCheckContext, 'database' | 'clock'>,
): void {
  const figures = { ...checkFigures('batua_ledger_check'), ...FIGURES }
  addFigures(metrics, figures, async () => ({ ...(await readLedgerCheck(database)), now: clock.now() }))
}

interface Status extends ScanStatus<Position, CheckedLedger> {
  readonly now: Date
}

const FIGURES: Figures<Status> = {
  batua_ledger_check_wallets: ({ cursor }) => cursor?.walletsChecked ?? 0,
  batua_ledger_check_round_wallets: ({ result }) => result?.wallets ?? 0,
  batua_ledger_check_agrees({ result }) {
    if (result === null) return {}
    const { sums } = result
    const flag = (difference: bigint) => (difference === 0n ? 1 : 0)
    return {
      wallets: flag(sums.walletsDifference),
      escrow: flag(sums.escrowDifference),
      authorizations: flag(sums.authorizationsDifference),
      payouts: flag(sums.payoutsDifference),
    }
  },
}
