import type { Database, Queryable } from '../../../db/database.ts'
import { addFigures, type Metrics } from '../../../kernel/metrics.ts'
import { readScanRound, type ScanRound } from '../../../operations/scan-round.ts'
import type { OpenDifference } from './difference.ts'
import { countOpen, selectLastFinishedAt, selectOpen } from './store.ts'

/** For the overview: how many differences are open, unchecked ones included; null before the first reconciliation. */
export async function readReconciliation(
  db: Queryable,
): Promise<{ readonly differences: number | null; readonly checkedAt: Date | null }> {
  const checkedAt = await selectLastFinishedAt(db)
  return { differences: checkedAt === null ? null : await countOpen(db, null), checkedAt }
}

export const RECONCILIATION = 'reconciliation'

/** Its nightly round, with the end of the last comparison, which may be one that an operator ran. */
export async function readReconciliationRound(db: Queryable): Promise<ScanRound> {
  const round = await readScanRound(db, RECONCILIATION, 0)
  return {
    ...round,
    finishedAt: await selectLastFinishedAt(db),
    openFindings: await countOpen(db, null),
  }
}

export function addReconciliationMetrics(
  metrics: Metrics,
  { database }: { readonly database: Database },
): void {
  const read = async () => (await readReconciliation(database)).differences ?? Number.NaN
  addFigures(metrics, { batua_reconciliation_differences: found => found }, read)
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
