import type { SettlementSkipReason } from '@batua/contract'
import { DatabaseUnavailable } from '../../../db/errors.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { dayText, firstYoungDay, latestRunDay, runMoment } from '../../../kernel/business-days.ts'
import { LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Job } from '../../../operations/jobs.ts'
import { type Slice, scanSlice } from '../../../operations/scan.ts'
import type { PayoutsContext } from '../payouts/context.ts'
import { decideSettlement } from './decide.ts'
import { type SettledWallet, settleWallet } from './settle-wallet.ts'
import {
  BEFORE_ALL_WALLETS,
  beginRun,
  type SeenWallet,
  type Skip,
  type SkipCounts,
  saveSlice,
  scanWallets,
} from './store.ts'

/** The dependencies of the settlement of unused balances. */
export interface SettlementContext extends PayoutsContext {
  readonly settlement: 'on' | 'off'
}

const TICK_MS = 5_000
/** Wallets in memory at once; their payouts share commits with other commands of the engine. */
const SLICE = 250
/** A slice that is repeated after a crash costs nothing: a paid wallet is no longer due. */
const LEASE_MS = 60_000

export function settlementJobs(context: SettlementContext): Job[] {
  return [{ name: 'settlement', everyMs: TICK_MS, run: () => settleNextSlice(context) }]
}

/** Where the run of a day is: the last wallet that was processed, and how many were skipped so far. */
interface RunPosition {
  readonly day: number
  readonly after: Uuid
  readonly skipped: SkipCounts
}

/**
 * Settles the next wallets of the run that is due, if this node gets its lease. Returns how many were checked; 0 when
 * there is nothing to do.
 */
export async function settleNextSlice(context: SettlementContext, limit = SLICE): Promise<number> {
  if (context.settlement === 'off') return 0
  const dueDay = latestRunDay(await context.holidays.read(), context.clock.now())
  const done = await scanSlice(context, {
    name: 'settlement',
    leaseMs: LEASE_MS,
    dueSince: runMoment(dueDay),
    slice: (position: RunPosition | null) => settleSlice(context, position, dueDay, limit),
  })
  if (done === null) return 0
  if (done.next === null) context.logger.info({ day: dayText(done.day) }, 'settlement: run finished')
  return Math.max(1, done.checked)
}

interface SettledSlice extends Slice<RunPosition> {
  readonly day: number
  readonly checked: number
}

/** An unfinished run of an earlier day is not continued: the run of the due day checks every wallet too. */
async function settleSlice(
  context: SettlementContext,
  position: RunPosition | null,
  dueDay: number,
  limit: number,
): Promise<SettledSlice> {
  const { database, clock, holidays } = context
  const isContinued = position !== null && position.day >= dueDay
  const { day, after, skipped } = isContinued
    ? position
    : { day: dueDay, after: BEFORE_ALL_WALLETS, skipped: {} }
  if (!isContinued && !(await beginRun(database, day, clock.now()))) return { day, checked: 0, next: null }

  const wallets = await scanWallets(database, after, firstYoungDay(await holidays.read(), day), limit)
  const skips = await settleWallets(context, day, wallets)
  const last = wallets.length < limit ? undefined : wallets.at(-1)
  const counts = counted(skipped, skips)
  return {
    day,
    checked: wallets.length,
    next: last === undefined ? null : { day, after: last.agentId, skipped: counts },
    save: tx =>
      saveSlice(tx, {
        ...{ day, after, through: last?.agentId ?? LAST_UUID, skips, skipped: counts },
        finishedAt: last === undefined ? clock.now() : null,
      }),
  }
}

function counted(before: SkipCounts, skips: readonly Skip[]): SkipCounts {
  const counts: Partial<Record<SettlementSkipReason, number>> = { ...before }
  for (const { reason } of skips) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}

/**
 * Pays out the wallets of a slice that are due. Skipping needs no lock: it is recorded, and the next run checks the
 * wallet again.
 */
async function settleWallets(
  context: SettlementContext,
  day: number,
  wallets: readonly SeenWallet[],
): Promise<Skip[]> {
  const skips: Skip[] = []
  const due: SeenWallet[] = []
  for (const wallet of wallets) {
    const decision = decideSettlement(wallet)
    const { agentId, balancePaise } = wallet
    if (decision.kind === 'pay') due.push(wallet)
    if (decision.kind === 'skip') skips.push({ agentId, reason: decision.reason, balancePaise })
  }
  const results = await Promise.allSettled(
    due.map(wallet => context.ledger.submit(settleWallet(context, day, wallet))),
  )
  for (const [index, result] of results.entries()) {
    const agentId = due[index]?.agentId
    if (agentId !== undefined) noteResult(context, agentId, result, skips)
  }
  return skips
}

/** A transient failure is retried with the whole slice; one bad wallet does not stop the others. */
function noteResult(
  { logger }: SettlementContext,
  agentId: Uuid,
  result: PromiseSettledResult<SettledWallet>,
  skips: Skip[],
): void {
  if (result.status === 'fulfilled') {
    if (result.value.kind === 'skip') {
      const { reason, balancePaise } = result.value
      skips.push({ agentId, reason, balancePaise })
    }
    return
  }
  const error: unknown = result.reason
  const passing = error instanceof DatabaseUnavailable || (error instanceof AppError && error.status === 503)
  if (passing) throw error
  logger.error({ agent_id: agentId, err: error }, 'settlement: wallet could not be settled')
}
