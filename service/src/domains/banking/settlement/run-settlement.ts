import { DatabaseUnavailable } from '../../../db/errors.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { dayText, firstYoungDay, latestRunDay } from '../../../kernel/business-days.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { SettlementContext } from './context.ts'
import { decideSettlement } from './decide.ts'
import { finishSlice, forgetSkips, type LeasedRun, leaseRun, type Skip } from './runs-store.ts'
import { type SettledWallet, settleWallet } from './settle-wallet.ts'
import { BEFORE_ALL_WALLETS, type SeenWallet, scanWallets } from './wallets-store.ts'

/** Wallets in memory at once; their payouts share commits with other commands of the engine. */
const SLICE = 250
/**
 * The node that continues a run renews the lease with every slice. An expired lease costs nothing: a paid wallet is no
 * longer due.
 */
const LEASE_MS = 60_000

/** One node's part in the runs: its id as a lease holder, and the day that is known to be done. */
export interface Runner {
  readonly holder: Uuid
  finishedDay: number | null
}

/** A wallet without a bank account is skipped every day, so the list is kept for a year only. */
const SKIPS_KEPT_DAYS = 366

/**
 * Processes one more slice of the run that is due, if this node has its lease. Returns 0 when there is nothing to do.
 */
export async function runSlice(
  context: SettlementContext,
  runner: Runner,
  now: Date,
  limit = SLICE,
): Promise<number> {
  if (context.settlement === 'off') return 0
  const { database, logger } = context
  const calendar = await context.holidays.read()
  const day = latestRunDay(calendar, now)
  if (runner.finishedDay === day) return 0
  const until = new Date(now.getTime() + LEASE_MS)
  const run = await leaseRun(database, { day, holder: runner.holder, now, until })
  if (run === null) return 0

  const after = run.doneThrough ?? BEFORE_ALL_WALLETS
  const wallets = await scanWallets(database, after, firstYoungDay(calendar, day), limit)
  const skips = await settleWallets(context, run, wallets)
  const finished = wallets.length < limit
  const through = wallets.at(-1)?.agentId ?? run.doneThrough
  const kept = await finishSlice(database, {
    run,
    holder: runner.holder,
    through,
    skips,
    finished,
    now: context.clock.now(),
  })
  if (!kept) return 0
  if (finished) {
    runner.finishedDay = day
    await forgetSkips(database, day - SKIPS_KEPT_DAYS)
    logger.info({ day: dayText(day) }, 'settlement: run finished')
  }
  return Math.max(1, wallets.length)
}

/**
 * Pays out the wallets of a slice that are due. Skipping needs no lock: it is recorded, and the next run checks the
 * wallet again.
 */
async function settleWallets(
  context: SettlementContext,
  run: LeasedRun,
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
    due.map(wallet => context.ledger.submit(settleWallet(context, run.day, wallet))),
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
