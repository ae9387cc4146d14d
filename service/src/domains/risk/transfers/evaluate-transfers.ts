import type { Queryable } from '../../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { type Opening, openAlerts } from '../alerts/open-alerts.ts'
import type { RiskJobsContext } from '../context.ts'
import { inForce, type RuleSet } from '../rules.ts'
import type { RulesReader } from '../rules-store.ts'
import { type Batch, inSlices, readBatch } from './batch.ts'
import { lockCursor, moveCursor, selectUnread } from './cursor-store.ts'
import { evaluateCircularFlow } from './evaluate-circular-flow.ts'
import { EVALUATORS, type PayerRuleName } from './evaluate-rules.ts'
import { recordFirstPayments } from './new-payees-store.ts'
import { decideNextStretch, HEAVY_LOAD_TRANSFERS, type NextStretch } from './next-stretch.ts'
import type { ReceiversReader } from './receivers.ts'
import { type Payer, type Stretch, selectPayers } from './stretch-store.ts'

/**
 * How old a transfer must be before it is read. A batch makes the transfer's id while it holds its locks, and commits
 * it one round trip later, which takes milliseconds. So no transfer commits below a cursor that is five seconds behind
 * the clock, even if the clocks of nodes differ a little. If a disk blocks for longer, only the evaluation of this
 * payment is missed: the rules count all transfers of the ledger, so the agent's next payment counts it too.
 */
const READ_AFTER_MS = 5_000
/** Keeps statements short, so that requests are served in between. */
const TRANSFERS_OF_A_PAGE = 10_000
/** The most payers in memory at once. */
const MAX_PAYERS = 20_000

/**
 * Evaluates the rules for the payers of the next new transfers. Returns the number of transfers. The node that locks
 * the cursor evaluates, and moves the cursor in the commit that opens the alerts: no transfer is evaluated twice.
 */
export async function evaluateNewTransfers(
  { database, vault }: RiskJobsContext,
  readRules: RulesReader,
  readReceivers: ReceiversReader,
  now: Date,
): Promise<number> {
  const readableBelow = firstUuidAt(new Date(now.getTime() - READ_AFTER_MS))
  if ((await nextStretchOf(database, readableBelow)) === null) return 0
  const opening = { vault, now }
  return database.inTransaction(async tx => {
    const position = await lockCursor(tx)
    // Another node may have moved the cursor meanwhile.
    const nextStretch = position === null ? null : await nextStretchOf(tx, readableBelow)
    if (position === null || nextStretch === null) return 0
    const stretch = await recordStretch(tx, position, nextStretch)
    const rules = await readRules(tx)
    const passing = inForce(rules, 'pass_through')
    const receivers = passing === null ? null : await readReceivers(tx, stretch, passing.thresholds)
    await inBatches(tx, stretch, receivers, async batch => {
      for (const name of Object.keys(EVALUATORS) as PayerRuleName[])
        await evaluate(tx, rules, name, batch, opening)
    })
    const circular = inForce(rules, 'circular_flow')
    if (circular !== null)
      await openAlerts(tx, circular, await evaluateCircularFlow(tx, circular, stretch), opening)
    await moveCursor(tx, stretch.lastId)
    return stretch.transfers
  })
}

async function nextStretchOf(db: Queryable, readableBelow: Uuid): Promise<NextStretch | null> {
  const unread = await selectUnread(db, readableBelow, HEAVY_LOAD_TRANSFERS)
  return unread === null ? null : decideNextStretch(unread, readableBelow)
}

/** Reads a stretch page by page and stores the first payment of each payer to each payee. */
async function recordStretch(
  tx: Queryable,
  afterId: Uuid,
  { next, below, isBusy }: NextStretch,
): Promise<Stretch> {
  let lastId = afterId
  let transfers = 0
  for (;;) {
    const page = await recordFirstPayments(tx, { afterId: lastId, below, atMost: TRANSFERS_OF_A_PAGE })
    if (page.lastId !== null) lastId = page.lastId
    transfers += page.transfers
    if (page.transfers < TRANSFERS_OF_A_PAGE) return { afterId, firstId: next, lastId, transfers, isBusy }
  }
}

/** Evaluates the payers of a stretch, a few at a time. */
async function inBatches(
  tx: Queryable,
  stretch: Stretch,
  receivers: Batch['receivers'],
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  for (let behind: Uuid | null = null; ; ) {
    const payers: readonly Payer[] = await selectPayers(tx, stretch, behind, MAX_PAYERS)
    await inSlices(payers, async slice => {
      await work(await readBatch(tx, stretch, slice, receivers))
      return []
    })
    if (payers.length < MAX_PAYERS) return
    behind = payers.at(-1)?.agentId ?? null
  }
}

async function evaluate<Name extends PayerRuleName>(
  tx: Queryable,
  rules: RuleSet,
  name: Name,
  batch: Batch,
  opening: Opening,
): Promise<void> {
  const rule = inForce(rules, name)
  if (rule === null) return
  await openAlerts(tx, rule, await EVALUATORS[name](tx, rule, batch), opening)
}
