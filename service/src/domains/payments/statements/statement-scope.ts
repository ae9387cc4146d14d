import {
  type listTransactions,
  type QueryOf,
  TRANSACTION_STATUSES,
  type TransactionStatus,
  type TransactionType,
} from '@batua/contract'
import { type Span, spanOf } from '../../../http/date-span.ts'
import {
  creditSideOf,
  FIRST_UUID,
  firstUuidAt,
  LAST_UUID,
  movementOf,
  type Uuid,
} from '../../../kernel/ids.ts'

/** Which lines of a statement are requested. */
export interface StatementFilter {
  readonly type: TransactionType | null
  readonly status: TransactionStatus | null
  readonly span: Span
  /** Only payments and holds that the wallets made with it. */
  readonly reference?: string | null
}

/** The source of lines: either side of the transfers, holds alone, fundings, and payouts of either type. */
export type LineSource = 'debits' | 'holds' | 'credits' | 'fundings' | 'withdraw' | 'settlement'

/** The same in the store's terms: which sources, which statuses, from which id to which. */
export interface StatementScope {
  readonly wallets: readonly Uuid[]
  readonly sources: readonly LineSource[]
  readonly statuses: readonly TransactionStatus[]
  /** Ids begin with their time, so a range of ids is a span of time. `from` is in it, `until` is not. */
  readonly from: Uuid
  readonly until: Uuid
  /** The end for credit lines, which come before the debit line of the same movement: see `upTo`. */
  readonly creditsUntil: Uuid
  /** The statement from its first line on, whatever the type: its length need not be counted. */
  readonly whole: boolean
  readonly reference: string | null
}

export function statementScope(
  wallets: readonly Uuid[],
  { type, status, span, reference = null }: StatementFilter,
): StatementScope {
  const sources = sourcesOf(status).filter(
    source =>
      (type === null || TYPE_OF[source] === type) && (reference === null || TYPE_OF[source] === 'pay_out'),
  )
  const until = span.until === null ? LAST_UUID : firstUuidAt(span.until)
  return {
    wallets,
    sources,
    statuses: status === null ? TRANSACTION_STATUSES : [status],
    from: span.from === null ? FIRST_UUID : firstUuidAt(span.from),
    until,
    creditsUntil: until,
    whole:
      sources.includes('debits') && sources.includes('credits') && span.from === null && span.until === null,
    reference,
  }
}

/** The scope that a request asks for. */
export function scopeOf(
  wallets: readonly Uuid[],
  { type, status, from_date, to_date, reference }: QueryOf<typeof listTransactions> & { reference?: string },
): StatementScope {
  const span = spanOf(from_date, to_date)
  return statementScope(wallets, {
    type: type ?? null,
    status: status ?? null,
    span,
    reference: reference?.normalize() ?? null,
  })
}

/** The sources of all lines. */
export const WHOLE_SOURCES: readonly LineSource[] = [
  'debits',
  'credits',
  'fundings',
  'withdraw',
  'settlement',
]

/** Whether a scope is all lines of one wallet up to a place. */
export function isOneWhole({ wallets, statuses, whole, reference }: StatementScope): boolean {
  return wallets.length === 1 && whole && statuses === TRANSACTION_STATUSES && reference === null
}

const TYPE_OF: Record<LineSource, TransactionType> = {
  debits: 'pay_out',
  holds: 'pay_out',
  credits: 'pay_in',
  fundings: 'fund',
  withdraw: 'withdraw',
  settlement: 'settlement',
}

/**
 * A payment is completed from the start. A hold is listed among the payments in the order of the ledger; one that is
 * pending or reversed is searched among the holds alone, which have an index.
 */
function sourcesOf(status: TransactionStatus | null): readonly LineSource[] {
  switch (status) {
    case null:
    case 'completed':
      return WHOLE_SOURCES
    case 'pending':
    case 'reversed':
      return ['holds', 'fundings', 'withdraw', 'settlement']
    case 'failed':
      return ['fundings', 'withdraw', 'settlement']
  }
}

/** A line by its movement. */
export interface LinePlace {
  readonly id: Uuid
  readonly side: 'debit' | 'credit'
}

/** The id of a line, which is also its place in the list: of one movement, the credit line is the newer. */
export function lineIdOf({ id, side }: LinePlace): Uuid {
  return side === 'debit' ? id : creditSideOf(id)
}

/**
 * What remains of a scope after a line. Between two wallets of one list a movement has both its lines there, so a
 * page may end between them: the debit line of the same movement follows the credit line.
 */
export function upTo(scope: StatementScope, lineId: Uuid): StatementScope {
  return {
    ...scope,
    until: earlier(scope.until, lineId),
    creditsUntil: earlier(scope.creditsUntil, movementOf(lineId).movement),
  }
}

function earlier(left: Uuid, right: Uuid): Uuid {
  return left < right ? left : right
}

/** The scope without what is older than the movement of a line. */
export function downTo(scope: StatementScope, lineId: Uuid | null): StatementScope {
  if (lineId === null) return scope
  const { movement } = movementOf(lineId)
  return movement > scope.from ? { ...scope, from: movement } : scope
}
