import type { TransactionStatus, TransactionType } from '@batua/contract'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import type { Span } from './span.ts'

/** Which lines of a statement are asked for. */
export interface StatementFilter {
  readonly type: TransactionType | null
  readonly status: TransactionStatus | null
  readonly span: Span
}

/** The same as the store reads it: which sides of the wallet's transfers, which fundings, from which id to which. */
export interface StatementScope {
  readonly wallet: Uuid
  readonly debits: boolean
  readonly credits: boolean
  readonly fundingStatuses: readonly TransactionStatus[]
  /** Ids begin with their time, so a range of ids is a span of time. `from` is in it, `until` is not. */
  readonly from: Uuid
  readonly until: Uuid
  /** The statement from its first line on, whatever the type: its length need not be counted. */
  readonly whole: boolean
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** A funding passes through all of these; a transfer between agents is completed from the start. */
const FUNDING_STATUSES: readonly TransactionStatus[] = ['pending', 'completed', 'failed', 'reversed']

export function statementScope(wallet: Uuid, { type, status, span }: StatementFilter): StatementScope {
  const completed = status === null || status === 'completed'
  const debits = completed && (type === null || type === 'pay_out')
  const credits = completed && (type === null || type === 'pay_in')
  const fundings = type === null || type === 'fund'
  const fundingStatuses = status === null ? FUNDING_STATUSES : [status]
  return {
    wallet,
    debits,
    credits,
    fundingStatuses: fundings ? fundingStatuses : [],
    from: span.from === null ? FIRST_ID : firstUuidAt(span.from),
    until: span.until === null ? LAST_ID : firstUuidAt(span.until),
    whole: debits && credits && span.from === null && span.until === null,
  }
}
