import { DatabaseUnavailable } from '../../../db/errors.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { dayText, firstYoungDay, latestRunDay } from '../../../kernel/business-days.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { SettlementContext } from './context.ts'
import { decideSettlement } from './decide.ts'
import { finishSlice, forgetSkips, type LeasedRun, leaseRun, type Skip } from './runs-store.ts'
import { type SettledWallet, settleWallet } from './settle-wallet.ts'
import { BEFORE_ALL_WALLETS, type SeenWallet, scanWallets } from './wallets-store.ts'

/** Wallets in memory at once; their payouts share commits with whatever else the engine has to do. */
const SLICE = 250
/** Whoever goes on renews it with every slice. One that runs out costs nothing: what was paid is not due any more. */
const LEASE_MS = 60_000

/** One node's part in the runs: who holds a run's lease, and the day that is known to be done. */
export interface Runner {
  readonly holder: Uuid
  finishedDay: number | null
}

/** An owner without a bank account is left alone every day: a year of it is enough. */
const SKIPS_KEPT_DAYS = 366

/** Goes one slice further with the run that is due, if this node has it. Returns 0 when there is nothing to do. */
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
    logger.info({ day: dayText(day) }, 'settlement: the run is finished')
  }
  return Math.max(1, wallets.length)
}

/** Pays out what is due of a slice. What is left alone needs no lock: it is told, and looked at again by the next run. */
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

/** What could not be done for want of means is done when the slice is repeated; one bad wallet stops no other. */
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
  logger.error({ agent_id: agentId, err: error }, 'settlement: a wallet could not be settled')
}
