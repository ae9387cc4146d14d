import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { slicesOf } from '../../../kernel/slices.ts'
import type { StatementScope } from './statement-scope.ts'

/**
 * An owner may have 200,000 agents. Their wallets are read some at a time, in statements of their own, so that no
 * snapshot stays open and no connection is occupied for long.
 */
const WALLETS_AT_ONCE = 250
/** A statement that reads all lines of its wallets reads only as many wallets as have this many transfers, or one. */
const TRANSFERS_AT_ONCE = 100_000
const ACCOUNTS_AT_ONCE = 1_000

/** The parameters that all statements of a scope begin with. */
export function rangeOf({
  wallets,
  from,
  until,
  creditsUntil,
  sources,
  statuses,
  reference,
}: StatementScope): unknown[] {
  if (reference !== null) return [wallets, from, until, statuses, reference]
  return [wallets, from, until, creditsUntil, sources, statuses]
}

/** Parts for statements that read a few lines of each wallet. */
export function inParts(scope: StatementScope): StatementScope[] {
  return slicesOf(scope.wallets, WALLETS_AT_ONCE).map(wallets => ({ ...scope, wallets }))
}

/** Parts for statements that may read every line of each wallet. */
export async function inReadableParts(db: Queryable, scope: StatementScope): Promise<StatementScope[]> {
  if (scope.wallets.length === 1) return [scope]
  const parts: StatementScope[] = []
  let wallets: Uuid[] = []
  let transfers = 0
  for (const { id, count } of await countTransfers(db, scope.wallets)) {
    const isFull = wallets.length === WALLETS_AT_ONCE || transfers + count > TRANSFERS_AT_ONCE
    if (isFull && wallets.length > 0) {
      parts.push({ ...scope, wallets })
      wallets = []
      transfers = 0
    }
    wallets.push(id)
    transfers += count
  }
  return wallets.length === 0 ? parts : [...parts, { ...scope, wallets }]
}

/** The number of transfers of each wallet, by its own counter. */
async function countTransfers(
  db: Queryable,
  wallets: readonly Uuid[],
): Promise<{ readonly id: Uuid; readonly count: number }[]> {
  const counts: { readonly id: Uuid; readonly count: number }[] = []
  for (const ids of slicesOf(wallets, ACCOUNTS_AT_ONCE)) {
    const rows = await db.query<{ id: Uuid; count: number }>(
      `select id, sequence::float8 as count from accounts where id = any($1::uuid[])`,
      [arrayLiteral(ids)],
    )
    counts.push(...rows)
  }
  return counts
}
