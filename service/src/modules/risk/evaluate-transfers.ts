import type { Queryable } from '../../db/database.ts'
import { firstUuidAt } from '../../kernel/ids.ts'
import { type Batch, readBatch } from './batch.ts'
import type { RiskJobsContext } from './context.ts'
import { lockCursor, moveCursor, selectNext } from './cursor-store.ts'
import { EVALUATORS, type TransferRuleName } from './evaluate-rules.ts'
import { openAlerts } from './open-alerts.ts'
import { inForce, type RuleSet } from './rules.ts'
import type { RulesReader } from './rules-reader.ts'

/**
 * How old a transfer is before it is read. Its id is made when its batch holds its locks, and one round trip writes and
 * commits it: milliseconds. So five seconds behind the clock, clocks of nodes some of them apart included, nothing
 * commits below the cursor any more. Should a disk hang for longer, nothing is lost but that this one payment calls for
 * no evaluation: the rules count what the book holds, so the agent's next payment counts it too.
 */
const SETTLED_AFTER_MS = 5_000

/**
 * Evaluates the rules for the agents behind the next new transfers; tells how many transfers those were. Whoever holds
 * the cursor's row evaluates, and moves the cursor in the same commit that opens the alerts: nothing is read twice.
 */
export async function evaluateNewTransfers(
  { database }: RiskJobsContext,
  readRules: RulesReader,
  now: Date,
): Promise<number> {
  const below = firstUuidAt(new Date(now.getTime() - SETTLED_AFTER_MS))
  const next = await selectNext(database)
  if (next === null || next >= below) return 0
  return database.inTransaction(async tx => {
    const position = await lockCursor(tx)
    const batch = position === null ? null : await readBatch(tx, position, below)
    if (batch === null) return 0
    const rules = await readRules(tx)
    for (const name of Object.keys(EVALUATORS) as TransferRuleName[]) {
      await evaluate(tx, rules, name, batch, now)
    }
    await moveCursor(tx, batch.lastId)
    return batch.transfers
  })
}

async function evaluate<Name extends TransferRuleName>(
  tx: Queryable,
  rules: RuleSet,
  name: Name,
  batch: Batch,
  now: Date,
): Promise<void> {
  const rule = inForce(rules, name)
  if (rule === null) return
  await openAlerts(tx, rule, await EVALUATORS[name](tx, rule, batch), now)
}
