import { Gauge } from 'prom-client'
import type { Metrics } from '../../kernel/metrics.ts'
import type { IntegrityContext } from './context.ts'
import { type CheckStatus, readStatus } from './store.ts'

/** What the check has come to, read from the database when somebody asks: every node shows the same. */
export function addIntegrityMetrics(
  metrics: Metrics,
  { database, clock }: Pick<IntegrityContext, 'database' | 'clock'>,
): void {
  let asked: Promise<CheckStatus | null> | null = null
  // All gauges are asked at once and share one answer. Without the database the other figures must still be told.
  const status = () =>
    (asked ??= readStatus(database)
      .catch(() => null)
      .finally(() => {
        asked = null
      }))
  for (const { name, help, label, values } of gauges(() => clock.now())) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: label === null ? [] : [label],
      registers: [],
      async collect() {
        const figures = await status()
        this.reset()
        if (figures === null) return
        const shown = values(figures)
        if (label === null) this.set(shown['value'] ?? Number.NaN)
        else for (const [of, value] of Object.entries(shown)) this.set({ [label]: of }, value)
      },
    })
    metrics.registerMetric(gauge)
  }
}

interface Figure {
  readonly name: string
  readonly help: string
  readonly label: string | null
  /** By the label; without one, one value, or none, which is shown as not a number. */
  values(status: CheckStatus): Record<string, number>
}

function gauges(now: () => Date): Figure[] {
  return [
    {
      ...plain('book_balanced', 'Whether the book is right: 1, or 0; no number before the first whole round'),
      values: ({ faults, checkedAt }) =>
        faults === 0 && checkedAt === null ? {} : { value: faults === 0 ? 1 : 0 },
    },
    {
      ...plain('book_faults', 'Faults of the book that were found and have not healed'),
      values: ({ faults }) => ({ value: faults }),
    },
    {
      ...plain('book_wallets_checked', 'Wallets that the round under way has checked'),
      values: ({ walletsChecked }) => ({ value: walletsChecked }),
    },
    {
      ...plain('book_round_wallets', 'Wallets that the last whole round checked'),
      values: ({ lastWallets }) => ({ value: lastWallets }),
    },
    {
      ...plain('book_seconds_since_round', 'Seconds since the last whole round ended'),
      values: ({ checkedAt }): Record<string, number> =>
        checkedAt === null ? {} : { value: (now().getTime() - checkedAt.getTime()) / 1_000 },
    },
    {
      ...plain('book_difference_paise', 'What the book has more than its records say'),
      label: 'of',
      values: ({ sums }) => (sums === null ? {} : differences(sums)),
    },
    {
      ...plain(
        'book_balance_paise',
        'What the accounts of the system, and all wallets, held at the last round',
      ),
      label: 'account',
      values: ({ sums }) =>
        Object.fromEntries(
          Object.entries(sums?.balances ?? {}).map(([name, paise]) => [name, Number(paise)]),
        ),
    },
  ]
}

function plain(name: string, help: string) {
  return { name, help, label: null }
}

function differences(sums: NonNullable<CheckStatus['sums']>): Record<string, number> {
  return {
    wallets: Number(sums.walletsDifference),
    escrow: Number(sums.escrowDifference),
    payouts: Number(sums.payoutsDifference),
  }
}
