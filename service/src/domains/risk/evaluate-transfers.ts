import type { Queryable } from '../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { type Batch, readBatch } from './batch.ts'
import type { RiskJobsContext } from './context.ts'
import { lockCursor, moveCursor, selectWaiting } from './cursor-store.ts'
import { evaluateCircularFlow } from './evaluate-circular-flow.ts'
import { EVALUATORS, type PayerRuleName } from './evaluate-rules.ts'
import { inSlices } from './in-slices.ts'
import { recordFirstPayments } from './new-payees-store.ts'
import { type Opening, openAlerts } from './open-alerts.ts'
import { CROWD, decidePace, type Pace } from './pace.ts'
import type { ReceiversReader } from './receivers.ts'
import { inForce, type RuleSet } from './rules.ts'
import type { RulesReader } from './rules-reader.ts'
import { type Payer, type Stretch, selectPayers } from './stretch-store.ts'

/**
 * How old a transfer is before it is read. Its id is made when its batch holds its locks, and one round trip writes and
 * commits it: milliseconds. So five seconds behind the clock, clocks of nodes some of them apart included, nothing
 * commits below the cursor any more. Should a disk hang for longer, nothing is lost but that this one payment calls for
 * no evaluation: the rules count what the book holds, so the agent's next payment counts it too.
 */
const SETTLED_AFTER_MS = 5_000
/** Statements stay short; between two of them requests get their turn. */
const TRANSFERS_OF_A_PAGE = 10_000
/** How many payers are in memory at once. */
const MAX_PAYERS = 20_000

/**
 * Evaluates the rules for the agents behind the next new transfers; tells how many transfers those were. Whoever holds
 * the cursor's row evaluates, and moves the cursor in the same commit that opens the alerts: nothing is read twice.
 */
export async function evaluateNewTransfers(
  { database, vault }: RiskJobsContext,
  readRules: RulesReader,
  readReceivers: ReceiversReader,
  now: Date,
): Promise<number> {
  const settledBelow = firstUuidAt(new Date(now.getTime() - SETTLED_AFTER_MS))
  if ((await paceOf(database, settledBelow)) === null) return 0
  const opening = { vault, now }
  return database.inTransaction(async tx => {
    const position = await lockCursor(tx)
    // Another node may have moved it since.
    const pace = position === null ? null : await paceOf(tx, settledBelow)
    if (position === null || pace === null) return 0
    const stretch = await recordStretch(tx, position, pace)
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

async function paceOf(db: Queryable, settledBelow: Uuid): Promise<Pace | null> {
  const waiting = await selectWaiting(db, settledBelow, CROWD)
  return waiting === null ? null : decidePace(waiting, settledBelow)
}

/** Goes through a stretch page by page and remembers who was paid for the first time in it. */
async function recordStretch(tx: Queryable, afterId: Uuid, { next, below, isBusy }: Pace): Promise<Stretch> {
  let lastId = afterId
  let transfers = 0
  for (;;) {
    const page = await recordFirstPayments(tx, { afterId: lastId, below, atMost: TRANSFERS_OF_A_PAGE })
    if (page.lastId !== null) lastId = page.lastId
    transfers += page.transfers
    if (page.transfers < TRANSFERS_OF_A_PAGE) return { afterId, firstId: next, lastId, transfers, isBusy }
  }
}

/** Works on the payers of a stretch, a few at a time. */
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
