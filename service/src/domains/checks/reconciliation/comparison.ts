import pMap from 'p-map'
import type { Database } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { isUnchecked, type Outcome } from './difference.ts'
import { AT_ONCE, type Reconciler } from './query-gateway.ts'
import { boundsOf, type Counted, type Page, type PageBounds, positionAfter, type Run } from './run.ts'

/** The comparison of one row. */
export interface Compared {
  readonly outcome: Outcome
  readonly counted: Counted
}

/** One kind of rows that are compared with the gateway: how their facts are read, and how one of them is compared. */
export interface ComparedRows<Facts extends { readonly id: Uuid }> {
  readPage(database: Database, bounds: PageBounds): Promise<Facts[]>
  read(database: Database, ids: readonly Uuid[]): Promise<Facts[]>
  compare(reconciler: Reconciler, facts: Facts): Promise<Compared>
}

export interface Comparison {
  /** Compares a page of rows. */
  page(reconciler: Reconciler, run: Run, scope: PageBounds['scope']): Promise<Page>
  /** Compares these rows as they are now. */
  of(reconciler: Reconciler, ids: readonly Uuid[]): Promise<Outcome[]>
}

export function comparisonOf<Facts extends { readonly id: Uuid }>({
  readPage,
  read,
  compare,
}: ComparedRows<Facts>): Comparison {
  /** A row may change between its read and the query, so a difference must be found twice. */
  async function compareTwice(reconciler: Reconciler, facts: Facts): Promise<Compared> {
    const first = await compare(reconciler, facts)
    if (first.outcome.found.length === 0 || isUnchecked(first.outcome)) return first
    const [again] = await read(reconciler.database, [facts.id])
    return again === undefined ? first : compare(reconciler, again)
  }

  const compareAll = (reconciler: Reconciler, rows: readonly Facts[]) =>
    pMap(rows, facts => compareTwice(reconciler, facts), { concurrency: AT_ONCE })

  return {
    async page(reconciler, run, scope) {
      const rows = await readPage(reconciler.database, boundsOf(run, scope))
      const compared = await compareAll(reconciler, rows)
      return {
        outcomes: compared.map(({ outcome }) => outcome),
        counted: compared.flatMap(({ counted }) => counted),
        next: positionAfter(rows),
      }
    },
    async of(reconciler, ids) {
      const compared = await compareAll(reconciler, await read(reconciler.database, ids))
      return compared.map(({ outcome }) => outcome)
    },
  }
}
