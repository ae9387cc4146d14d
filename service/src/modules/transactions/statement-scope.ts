import type { TransactionStatus, TransactionType } from '@batua/contract'
import { creditSideOf, firstUuidAt, movementOf, type Uuid } from '../../kernel/ids.ts'
import type { Span } from './span.ts'

/** Which lines of a statement are asked for. */
export interface StatementFilter {
  readonly type: TransactionType | null
  readonly status: TransactionStatus | null
  readonly span: Span
}

/** The same as the store reads it: which sides of the wallets' transfers, which fundings, from which id to which. */
export interface StatementScope {
  readonly wallets: readonly Uuid[]
  readonly debits: boolean
  readonly credits: boolean
  readonly fundingStatuses: readonly TransactionStatus[]
  /** Ids begin with their time, so a range of ids is a span of time. `from` is in it, `until` is not. */
  readonly from: Uuid
  readonly until: Uuid
  /** The end for credit lines, which stand before the debit line of the same movement: see `upTo`. */
  readonly creditsUntil: Uuid
  /** The statement from its first line on, whatever the type: its length need not be counted. */
  readonly whole: boolean
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A funding passes through all of these; a transfer between agents is completed from the start. */
const FUNDING_STATUSES: readonly TransactionStatus[] = ['pending', 'completed', 'failed', 'reversed']

export function statementScope(
  wallets: readonly Uuid[],
  { type, status, span }: StatementFilter,
): StatementScope {
  const completed = status === null || status === 'completed'
  const debits = completed && (type === null || type === 'pay_out')
  const credits = completed && (type === null || type === 'pay_in')
  const fundings = type === null || type === 'fund'
  const until = span.until === null ? LAST_ID : firstUuidAt(span.until)
  const fundingStatuses = status === null ? FUNDING_STATUSES : [status]
  return {
    wallets,
    debits,
    credits,
    fundingStatuses: fundings ? fundingStatuses : [],
    from: span.from === null ? FIRST_ID : firstUuidAt(span.from),
    until,
    creditsUntil: until,
    whole: debits && credits && span.from === null && span.until === null,
  }
}

/** The id of a line, which is also its place in the list: of one movement, the credit line is the newer. */
export function lineIdOf({ id, side }: { readonly id: Uuid; readonly side: 'debit' | 'credit' }): Uuid {
  return side === 'debit' ? id : creditSideOf(id)
}

/**
 * What is left of a scope behind a line. Between two wallets of one list a movement has both its lines there, so a
 * page may end between them: behind the credit line comes the debit line of the same movement.
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
