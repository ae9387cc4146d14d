import { newUuid } from '../../../kernel/ids.ts'
import type { Job } from '../../../operations/jobs.ts'
import type { SettlementContext } from './context.ts'
import { type Runner, runSlice } from './run-settlement.ts'

const TICK_MS = 5_000

export function settlementJobs(context: SettlementContext): Job[] {
  const runner: Runner = { holder: newUuid(context.clock.now()), finishedDay: null }
  return [{ name: 'settlement', everyMs: TICK_MS, run: now => runSlice(context, runner, now) }]
}
