import { randomUUID } from 'node:crypto'
import { unreachable } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Comparing } from './ask.ts'
import { closeDifferences, keepFound } from './difference-store.ts'
import { lookAtBook } from './look-at-book.ts'
import { fundingWalk } from './look-at-fundings.ts'
import { payoutWalk } from './look-at-payouts.ts'
import { lookAtRecords, lookAtSettlements } from './look-at-records.ts'
import { refundWalk } from './look-at-refunds.ts'
import type { Page } from './page.ts'
import { recheck } from './recheck.ts'
import { phaseAfter, type Run } from './run.ts'
import { moveRun, type Progress, releaseRun, takeRun } from './run-store.ts'
import { addSettlementParts, forgetSettlements } from './settlement-store.ts'
import { addTotals } from './totals.ts'

/** Longer than a page of questions that all run into their time limits. Who dies with a step in hand blocks no longer. */
const LEASE_MS = 15 * 60_000

/**
 * One bounded step of a run: reads a page, asks, and commits what it found with the new position, so that a run goes on
 * where it was when its node died. Null: another node has the run, or it is done.
 */
export async function takeStep(context: Comparing, runId: Uuid): Promise<Run | null> {
  const { database, clock } = context
  const holder = randomUUID()
  const now = clock.now()
  const run = await takeRun(database, runId, holder, now, new Date(now.getTime() + LEASE_MS))
  if (run === null) return null
  try {
    const page = await lookAtPage(context, run)
    return await commitStep(context, run, holder, page)
  } catch (error) {
    await releaseRun(database, runId, holder)
    throw error
  }
}

function lookAtPage(context: Comparing, run: Run): Promise<Page> {
  switch (run.phase) {
    case 'fundings':
      return fundingWalk.page(context, run, 'span')
    case 'open_fundings':
      return fundingWalk.page(context, run, 'open')
    case 'refunds':
      return refundWalk.page(context, run, 'span')
    case 'open_refunds':
      return refundWalk.page(context, run, 'open')
    case 'payouts':
      return payoutWalk.page(context, run, 'span')
    case 'open_payouts':
      return payoutWalk.page(context, run, 'open')
    case 'from_gateway':
    case 'to_gateway':
    case 'from_payouts':
    case 'to_payouts':
      return lookAtBook(context, run, run.phase)
    case 'records':
      return lookAtRecords(context, run)
    case 'settlements':
      return lookAtSettlements(context, run)
    case 'recheck':
      return recheck(context, run)
    default:
      return unreachable(run.phase)
  }
}

/** Null: the lease ran out and another node has taken the run, so this step's page is its to do. */
async function commitStep(
  { database, clock, logger }: Comparing,
  run: Run,
  holder: Uuid,
  page: Page,
): Promise<Run | null> {
  const now = clock.now()
  const progress = progressOf(run, page, now)
  const moved = await database.inTransaction(async tx => {
    if (!(await moveRun(tx, run.id, holder, progress))) return false
    await keepFound(tx, run.id, page.outcomes, now)
    await closeDifferences(tx, page.closed ?? [], now)
    await addSettlementParts(tx, run.id, page.settlements ?? [])
    if (progress.finishedAt !== null) await forgetSettlements(tx, run.id)
    return true
  })
  if (!moved) return null
  for (const { subject, found } of page.outcomes) {
    for (const { kind, ours, theirs } of found) {
      logger.warn({ kind, subject: subject.subject, ours, theirs }, 'reconciliation: found a difference')
    }
  }
  return { ...run, ...progress }
}

function progressOf(run: Run, page: Page, now: Date): Progress {
  const phase = page.next === null ? phaseAfter(run.phase) : run.phase
  return {
    phase: phase ?? run.phase,
    position: page.next,
    totals: addTotals(run.totals, page.counted),
    listed: run.listed && page.listed !== false,
    finishedAt: phase === null ? now : null,
  }
}
