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

/**
 * An owner may have 10,000 agents. Their wallets are read some at a time, in statements of their own, so that no snapshot
 * stays open and no connection is kept for long.
 */
const WALLETS_AT_ONCE = 250

function* inParts(scope: StatementScope): Generator<StatementScope> {
  const { wallets } = scope
  for (let from = 0; from < wallets.length; from += WALLETS_AT_ONCE) {
    yield { ...scope, wallets: wallets.slice(from, from + WALLETS_AT_ONCE) }
  }
}

/** A page of the statement, newest first. */
export async function selectLines(
  db: Queryable,
  scope: StatementScope,
  { before, offset, fetch }: PageRequest,
): Promise<StatementLine[]> {
  const rest = await afterSkipping(db, before === null ? scope : upTo(scope, before), offset)
  if (rest === null) return []
  let lines: StatementLine[] = []
  for (const part of inParts(rest)) {
    // Once there is a page, a wallet is asked only for lines that are newer than the page's last: mostly none.
    const last = lines.length === fetch ? lines.at(-1) : undefined
    const newer = last === undefined ? part : { ...part, from: later(part.from, last.id) }
    const found = await db.query<StatementLine>(SELECT_LINES, [...rangeOf(newer), fetch])
    lines = lines.length === 0 ? found : [...lines, ...found].toSorted(newestFirst).slice(0, fetch)
  }
  return lines
}

type LinePlace = Pick<StatementLine, 'id' | 'side'>

/** The order of the statements: of one movement the credit line is the newer. */
function newestFirst(left: LinePlace, right: LinePlace): number {
  const [one, other] = [lineIdOf(left), lineIdOf(right)]
  return one === other ? 0 : one < other ? 1 : -1
}

function later(left: Uuid, right: Uuid): Uuid {
  return left < right ? right : left
}

/** What follows the newest lines, null when there are no more than those. */
async function afterSkipping(
  db: Queryable,
  scope: StatementScope,
  lines: number,
): Promise<StatementScope | null> {
  if (lines === 0) return scope
  const [last] = await db.query<LinePlace>(SELECT_LAST_SKIPPED, [...rangeOf(scope), lines])
  return last === undefined ? null : upTo(scope, lineIdOf(last))
}

export async function countLines(db: Queryable, scope: StatementScope): Promise<bigint> {
  let total = 0n
  for (const part of inParts(scope)) {
    const [row] = await db.query<{ total: bigint }>(part.whole ? COUNT_WHOLE : COUNT_RANGE, rangeOf(part))
    total += row?.total ?? 0n
  }
  return total
}

/** All agents of these owners, those that ended included. An index has all that is read. */
export async function selectAgentsOf(db: Queryable, ownerIds: readonly Uuid[]): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid }>(`select id from agents where owner_id = any($1::uuid[])`, [
    ownerIds,
  ])
  return rows.map(({ id }) => id)
}

export async function selectNames(db: Queryable, agentIds: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; name: string }>(
    `select id, name from agents where id = any($1::uuid[])`,
    [agentIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
