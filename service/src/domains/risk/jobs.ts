import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import type { Job } from '../../operations/jobs.ts'
import type { RiskJobsContext } from './context.ts'
import { evaluateSignals } from './evaluate-signals.ts'
import { openRulesReader } from './rules-store.ts'
import { deleteSignalsBefore } from './signals-store.ts'
import { evaluateNewTransfers } from './transfers/evaluate-transfers.ts'
import { openReceiversReader } from './transfers/receivers.ts'

/** How often a run checks whether a stretch of the ledger is due; see decideNextStretch. */
const PAYMENTS_TICK_MS = 5_000
const SIGNALS_TICK_MS = 1_000
const CLEARING_MS = 10 * 60_000
/** The longest window is a day. */
const SIGNALS_KEPT_MS = DAY_MS + HOUR_MS

/** Runs the risk rules after payments have committed, never before. */
export function riskJobs(context: RiskJobsContext): Job[] {
  const readRules = openRulesReader(context.logger)
  const readReceivers = openReceiversReader()
  return [
    {
      name: 'risk rules on payments',
      everyMs: PAYMENTS_TICK_MS,
      run: now => evaluateNewTransfers(context, readRules, readReceivers, now),
    },
    {
      name: 'risk rules on signals',
      everyMs: SIGNALS_TICK_MS,
      run: now => evaluateSignals(context, readRules, now),
    },
    {
      name: 'risk signals',
      everyMs: CLEARING_MS,
      run: now => deleteSignalsBefore(context.database, new Date(now.getTime() - SIGNALS_KEPT_MS)),
    },
  ]
}
