import type { TransactionStatus } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import { lineIdOf, type StatementScope, upTo } from './statement-scope.ts'
import { COUNT_RANGE, COUNT_WHOLE, SELECT_LAST_SKIPPED, SELECT_LINES } from './statement-sql.ts'

export type LineKind =
  | 'payment'
  | 'refund'
  | 'allocation'
  | 'escrow_hold'
  | 'escrow_release'
  | 'fund'
  | 'withdraw'
  | 'settlement'

/** One line of a wallet's statement as the book, the fundings and the payouts tell it. */
export interface StatementLine {
  /** Whose line it is. */
  readonly wallet: Uuid
  /** The movement's id; both sides of a transfer have it. */
  readonly id: Uuid
  readonly side: 'debit' | 'credit'
  readonly kind: LineKind
  /** The other wallet; null for the bank, and for a hold that is meant for nobody yet. */
  readonly counterparty: Uuid | null
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly status: TransactionStatus
  readonly beganAt: Date
  readonly linkedId: Uuid | null
  readonly reference: string | null
  readonly note: string | null
  /** The bank's reference of a payout. */
  readonly utr: string | null
}

function rangeOf({ wallets, from, until, creditsUntil, sources, statuses }: StatementScope): unknown[] {
  return [wallets, from, until, creditsUntil, sources, statuses]
}

/** A page of the statement, newest first. */
export async function selectLines(
  db: Queryable,
  scope: StatementScope,
  { before, offset, fetch }: PageRequest,
): Promise<StatementLine[]> {
  const rest = await afterSkipping(db, before === null ? scope : upTo(scope, before), offset)
  return rest === null ? [] : db.query<StatementLine>(SELECT_LINES, [...rangeOf(rest), fetch])
}

/** What follows the newest lines, null when there are no more than those. */
async function afterSkipping(
  db: Queryable,
  scope: StatementScope,
  lines: number,
): Promise<StatementScope | null> {
  if (lines === 0) return scope
  const [last] = await db.query<Pick<StatementLine, 'id' | 'side'>>(SELECT_LAST_SKIPPED, [
    ...rangeOf(scope),
    lines,
  ])
  return last === undefined ? null : upTo(scope, lineIdOf(last))
}

export async function countLines(db: Queryable, scope: StatementScope): Promise<bigint> {
  const [row] = await db.query<{ total: bigint }>(scope.whole ? COUNT_WHOLE : COUNT_RANGE, rangeOf(scope))
  return row?.total ?? 0n
}

/** The names of all agents of these owners, those that ended included, by their ids. */
export async function selectAgentsOf(db: Queryable, ownerIds: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; name: string }>(
    `select id, name from agents where owner_id = any($1::uuid[])`,
    [ownerIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function selectNames(db: Queryable, agentIds: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; name: string }>(
    `select id, name from agents where id = any($1::uuid[])`,
    [agentIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
