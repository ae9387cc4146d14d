import type { Database, Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { openComparing } from './ask.ts'
import type { ReconciliationContext } from './context.ts'
import type { OpenDifference } from './difference.ts'
import { countOpen, selectOpen } from './difference-store.ts'
import type { Span } from './run.ts'
import { insertRun, selectLastFinishedAt } from './run-store.ts'
import { takeStep } from './take-step.ts'
import type { Totals } from './totals.ts'

/** What a comparison came to. */
export interface ReconciliationReport extends Span {
  readonly totals: Totals
  /** Open differences, those of earlier comparisons included: each was looked at again. */
  readonly differences: number
  /** What could not be asked, and so may differ. */
  readonly unchecked: number
}

/** Compares a span at once, and looks again at every difference that is open. Posts nothing. */
export async function reconcile(context: ReconciliationContext, span: Span): Promise<ReconciliationReport> {
  const { database, clock } = context
  const now = clock.now()
  const begun = await insertRun(database, { id: newUuid(now), day: null, now, ...span })
  assert(begun !== null, 'a run that was asked for has no day to meet another on')
  const comparing = openComparing(context)
  let run = begun
  while (run.finishedAt === null) {
    const next = await takeStep(comparing, begun.id)
    assert(next !== null, 'nobody else takes a run that was asked for')
    run = next
  }
  const unchecked = await countOpen(database, 'unchecked')
  const differences = (await countOpen(database, null)) - unchecked
  return { ...span, totals: run.totals, differences, unchecked }
}

const LISTED_AT_ONCE = 100

/** Every open difference, newest first, page by page. */
export async function* listOpenDifferences(database: Database): AsyncGenerator<OpenDifference> {
  let before: string | null = null
  for (;;) {
    const page: OpenDifference[] = await selectOpen(database, null, {
      fetch: LISTED_AT_ONCE,
      offset: 0,
      before,
    })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < LISTED_AT_ONCE) return
    before = last.id
  }
}

/** For the overview: how many differences are open, what could not be asked included; null before the first comparison. */
export async function readReconciliation(
  db: Queryable,
): Promise<{ readonly differences: number | null; readonly checkedAt: Date | null }> {
  const checkedAt = await selectLastFinishedAt(db)
  return { differences: checkedAt === null ? null : await countOpen(db, null), checkedAt }
}
