import { DAY_MS, istDay, startOfIstDay } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import type { Comparing } from './ask.ts'
import type { Span } from './run.ts'
import { insertRun, type LastRuns, selectLastRuns, selectUnfinishedRun } from './run-store.ts'
import { takeStep } from './take-step.ts'

/** 03:30 in IST: the banks' day is over and few people pay. */
const DUE_AFTER_MIDNIGHT_MS = 3.5 * 60 * 60_000
/** What one run looks at beside what the one before left out: late words of a gateway are found for a week. */
const SPAN_MS = 7 * DAY_MS
/** Records may reach a gateway's list late, so runs overlap. */
const OVERLAP_MS = DAY_MS
/** How far the first run of all looks back. */
const FIRST_SPAN_MS = 90 * DAY_MS

/** The day whose comparison was due last. */
export function lastDueDay(now: Date): number {
  return istDay(new Date(now.getTime() - DUE_AFTER_MIDNIGHT_MS))
}

/** When the comparison of a day falls due. */
export function dueMoment(day: number): Date {
  return new Date(startOfIstDay(day).getTime() + DUE_AFTER_MIDNIGHT_MS)
}

/** What the next run compares: the last days, and what of the gateway's records was not read until now. */
export function dailySpan(
  { listedTo, unlistedFrom }: Pick<LastRuns, 'listedTo' | 'unlistedFrom'>,
  now: Date,
): Span {
  const [listed, unlisted] = [listedTo?.getTime() ?? null, unlistedFrom?.getTime() ?? null]
  const isFirst = listed === null && unlisted === null
  const fromMs = Math.min(
    now.getTime() - (isFirst ? FIRST_SPAN_MS : SPAN_MS),
    listed === null ? Infinity : listed - OVERLAP_MS,
    unlisted ?? Infinity,
  )
  return { from: new Date(fromMs), to: upTo(now) }
}

/** A span that takes in this very moment. */
export function upTo(now: Date): Date {
  return new Date(now.getTime() + 1)
}

/** One step of the comparison of a day: an unfinished one first, else the one that is due. Returns 0 when there is none. */
export async function compareDaily(context: Comparing, now: Date): Promise<number> {
  const id = (await selectUnfinishedRun(context.database)) ?? (await beginDueRun(context, now))
  if (id === null) return 0
  const run = await takeStep(context, id)
  if (run?.finishedAt) context.logger.info({ run_day: run.day }, 'reconciliation: done')
  return run === null ? 0 : 1
}

async function beginDueRun({ database }: Comparing, now: Date): Promise<Uuid | null> {
  const last = await selectLastRuns(database)
  const day = lastDueDay(now)
  if (last.day !== null && last.day >= day) return null
  const run = await insertRun(database, { id: newUuid(now), day, now, ...dailySpan(last, now) })
  return run?.id ?? null
}
