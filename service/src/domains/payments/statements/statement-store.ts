import type { TransactionStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { type KeyedRead, rowsOf } from '../../../db/gathered.ts'
import { lastSkippedInParts, newestInParts } from '../../../http/list-in-parts.ts'
import type { PageRequest } from '../../../http/paging.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { COUNT_BY_REFERENCE, SELECT_LINES_BY_REFERENCE, SELECT_PLACES_BY_REFERENCE } from './reference-sql.ts'
import { inParts, inReadableParts, rangeOf } from './statement-parts.ts'
import { downTo, isOneWhole, type LinePlace, lineIdOf, type StatementScope, upTo } from './statement-scope.ts'
import {
  COUNT_RANGE,
  COUNT_WHOLE,
  SELECT_LAST_SKIPPED,
  SELECT_LINES,
  SELECT_PAGES,
  SELECT_PLACES,
} from './statement-sql.ts'

export type LineKind =
  | 'payment'
  | 'refund'
  | 'allocation'
  | 'escrow_hold'
  | 'escrow_release'
  | 'authorization'
  | 'capture'
  | 'fund'
  | 'withdraw'
  | 'settlement'

/** One line of a wallet's statement, from the transfers, the fundings and the payouts. */
export interface StatementLine {
  /** The agent of the line. */
  readonly wallet: Uuid
  /** The movement's id; both sides of a transfer have it. */
  readonly id: Uuid
  readonly side: 'debit' | 'credit'
  readonly kind: LineKind
  /** The other wallet; null for the bank, and for a hold that has no recipient yet. */
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
  /** Why a funding or payout failed: our word for a funding, the provider's code for a payout. */
  readonly reason: string | null
}

/** A page of a statement, newest first, with the names of both sides, and the length of the statement. */
export interface StatementPage {
  readonly lines: readonly StatementLine[]
  readonly names: ReadonlyMap<Uuid, string>
  readonly total: bigint
}

export async function selectPage(
  db: Queryable,
  scope: StatementScope,
  request: PageRequest,
): Promise<StatementPage> {
  const [wallet] = scope.wallets
  if (wallet !== undefined && isOneWhole(scope) && request.offset === 0) {
    return selectWholePage(db, wallet, scope, request)
  }
  const [lines, total] = await Promise.all([selectLines(db, scope, request), countLines(db, scope)])
  return { lines, names: await selectNamesOf(db, lines), total }
}

type PageRow = { place: number; total: bigint; walletName: string; counterpartyName: string | null } & (
  | StatementLine
  | { id: null }
)

const PAGES: KeyedRead<PageRow> = {
  text: SELECT_PAGES,
  keyOf: ({ place }, keys) => keys[place - 1] ?? '',
  mostKeys: 16,
}

/** The usual page: of one wallet, with lines of every kind. */
async function selectWholePage(
  db: Queryable,
  wallet: Uuid,
  scope: StatementScope,
  { before, fetch }: PageRequest,
): Promise<StatementPage> {
  const { until, creditsUntil } = before === null ? scope : upTo(scope, before)
  const rows = await rowsOf(db, PAGES, `${wallet} ${until} ${creditsUntil} ${fetch}`)
  const names = new Map<Uuid, string>()
  const lines: StatementLine[] = []
  for (const row of rows) {
    names.set(wallet, row.walletName)
    if (row.id === null) continue
    lines.push(row)
    if (row.counterparty !== null && row.counterpartyName !== null) {
      names.set(row.counterparty, row.counterpartyName)
    }
  }
  return { lines, names, total: rows[0]?.total ?? 0n }
}

/** A page of the statement, newest first. */
export async function selectLines(
  db: Queryable,
  scope: StatementScope,
  { before, offset, fetch }: PageRequest,
): Promise<StatementLine[]> {
  if (scope.sources.length === 0) return []
  const rest = await afterSkipping(db, before === null ? scope : upTo(scope, before), offset)
  if (rest === null) return []
  const select = scope.reference === null ? SELECT_LINES : SELECT_LINES_BY_REFERENCE
  const lines = await newestInParts(inParts(rest), { fetch, idOf: lineIdOf }, (part, from) =>
    db.query<StatementLine>(select, [...rangeOf(downTo(part, from)), fetch]),
  )
  return [...lines]
}

/** What follows the newest lines, null when there are no more than those. */
async function afterSkipping(
  db: Queryable,
  scope: StatementScope,
  lines: number,
): Promise<StatementScope | null> {
  if (lines === 0) return scope
  const last = await lastSkipped(db, scope, lines)
  return last === null ? null : upTo(scope, last)
}

async function lastSkipped(db: Queryable, scope: StatementScope, lines: number): Promise<Uuid | null> {
  const parts = await inReadableParts(db, scope)
  const [only] = parts
  const isPlain = scope.reference === null
  if (isPlain && only !== undefined && parts.length === 1) {
    const [last] = await db.query<LinePlace>(SELECT_LAST_SKIPPED, [...rangeOf(only), lines])
    return last === undefined ? null : lineIdOf(last)
  }
  return lastSkippedInParts(parts, lines, {
    async select(part, most, step, from) {
      const places = await db.query<LinePlace>(isPlain ? SELECT_PLACES : SELECT_PLACES_BY_REFERENCE, [
        ...rangeOf(downTo(part, from)),
        most,
        step,
      ])
      return places.map(lineIdOf)
    },
    behind: upTo,
  })
}

export async function countLines(db: Queryable, scope: StatementScope): Promise<bigint> {
  if (scope.sources.length === 0) return 0n
  let total = 0n
  const count = countOf(scope)
  for (const part of scope.whole ? inParts(scope) : await inReadableParts(db, scope)) {
    const [row] = await db.query<{ total: bigint }>(count, rangeOf(part))
    total += row?.total ?? 0n
  }
  return total
}

function countOf({ reference, whole }: StatementScope): string {
  if (reference !== null) return COUNT_BY_REFERENCE
  return whole ? COUNT_WHOLE : COUNT_RANGE
}

export async function selectNames(db: Queryable, agentIds: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; name: string }>(
    `select id, name from agents where id = any($1::uuid[])`,
    [agentIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The names of both sides of these lines. */
export function selectNamesOf(db: Queryable, lines: readonly StatementLine[]): Promise<Map<Uuid, string>> {
  const named = new Set(
    lines.flatMap(({ wallet, counterparty }) => (counterparty === null ? [wallet] : [wallet, counterparty])),
  )
  return selectNames(db, [...named])
}

/** The status of the movement with an id, of whatever kind; null when there is none. */
export async function selectMovementStatus(db: Queryable, id: Uuid): Promise<TransactionStatus | null> {
  // A funding and a payout share their id with a transfer of theirs, which does not contain their status.
  const [row] = await db.query<{ status: TransactionStatus }>(
    `select coalesce(
       (select status from fundings where id = $1 limit 1),
       (select status from payouts where id = $1 limit 1),
       (select 'completed' from transfers where id = $1 limit 1)
     ) as status`,
    [id],
  )
  return row?.status ?? null
}
