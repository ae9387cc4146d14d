import pMap from 'p-map'
import type { Database } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { AT_ONCE, type Comparing } from './ask.ts'
import { isUnchecked, type Outcome } from './difference.ts'
import { PAGE_SIZE, type Page, positionBehind } from './page.ts'
import { boundsOf, type PageBounds } from './page-bounds.ts'
import type { Run } from './run.ts'
import type { Counted } from './totals.ts'

/** What one subject came to. */
export interface Look {
  readonly outcome: Outcome
  readonly counted: Counted
}

/** One kind of what is held to the gateway: how its facts are read, and what a look at one of them is. */
export interface Subjects<Facts extends { readonly id: Uuid }> {
  readPage(database: Database, bounds: PageBounds): Promise<Facts[]>
  read(database: Database, ids: readonly Uuid[]): Promise<Facts[]>
  look(context: Comparing, facts: Facts): Promise<Look>
}

export interface Walk {
  /** A page of them against what the gateway knows. */
  page(context: Comparing, run: Run, scope: PageBounds['scope']): Promise<Page>
  /** The same for single ones, as they are now. */
  of(context: Comparing, ids: readonly Uuid[]): Promise<Outcome[]>
}

export function walkThrough<Facts extends { readonly id: Uuid }>({
  readPage,
  read,
  look,
}: Subjects<Facts>): Walk {
  /** A subject may be settled between reading its row and asking: what differs only at the first look differs no more. */
  async function lookTwice(context: Comparing, facts: Facts): Promise<Look> {
    const first = await look(context, facts)
    if (first.outcome.found.length === 0 || isUnchecked(first.outcome)) return first
    const [again] = await read(context.database, [facts.id])
    return again === undefined ? first : look(context, again)
  }

  const lookAtAll = (context: Comparing, subjects: readonly Facts[]) =>
    pMap(subjects, facts => lookTwice(context, facts), { concurrency: AT_ONCE })

  return {
    async page(context, run, scope) {
      const facts = await readPage(context.database, boundsOf(run, scope, run.position, PAGE_SIZE))
      const looks = await lookAtAll(context, facts)
      return {
        outcomes: looks.map(({ outcome }) => outcome),
        counted: looks.flatMap(({ counted }) => counted),
        next: positionBehind(facts),
      }
    },
    async of(context, ids) {
      const looks = await lookAtAll(context, await read(context.database, ids))
      return looks.map(({ outcome }) => outcome)
    },
  }
}
