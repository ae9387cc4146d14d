import type { TransactionStatus } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { TransferKind } from '../../ledger/index.ts'
import type { StatementScope } from './statement-scope.ts'

/** One line of a wallet's statement as the book and the fundings tell it. */
export interface StatementLine {
  /** The movement's id; both sides of a transfer have it. */
  readonly id: Uuid
  readonly side: 'debit' | 'credit'
  readonly kind: TransferKind
  /** The other wallet; null for the bank. */
  readonly counterparty: Uuid | null
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly status: TransactionStatus
  readonly beganAt: Date
  readonly linkedId: Uuid | null
  readonly reference: string | null
  readonly note: string | null
}

/**
 * A funding is one line, whatever became of it: so neither its transfer is a line nor the chargeback that reversed it.
 * Each part is an index range read from its newest end and stops at the page's, however long the statement is.
 */
const SELECT_LINES = `
  select id, side, kind, counterparty, amount_paise as "amountPaise", fee_paise as "feePaise", status,
    began_at as "beganAt", linked_id as "linkedId", reference, note
  from (
    (select id, 'debit' as side, kind, credit_account as counterparty, amount_paise, fee_paise,
       'completed' as status, posted_at as began_at, linked_id, reference, note
     from transfers
     where $4::boolean and debit_account = $1 and id >= $2 and id < $3 and kind not in ('fund', 'chargeback')
     order by id desc limit $7)
    union all
    (select id, 'credit', kind, debit_account, amount_paise, fee_paise,
       'completed', posted_at, linked_id, reference, note
     from transfers
     where $5::boolean and credit_account = $1 and id >= $2 and id < $3 and kind not in ('fund', 'chargeback')
     order by id desc limit $7)
    union all
    (select id, 'credit', 'fund', null::uuid, amount_paise, coalesce(fee_paise, 0),
       status, created_at, null::uuid, null::text, null::text
     from fundings
     where agent_id = $1 and id >= $2 and id < $3 and status = any($6::text[])
     order by id desc limit $7)
  ) lines
  order by id desc limit $7`

/**
 * The same three parts as ids alone, for what counts and skips lines: the kind of a transfer would have to be read from
 * its row, but the transfers that are no lines are known from the fundings, so the indexes have all that is needed.
 */
const DEBIT_IDS = `
  select id from transfers
  where $4::boolean and debit_account = $1 and id >= $2 and id < $3 and id not in (
    select c.id from fundings f join transfers c on c.linked_id = f.id and c.kind = 'chargeback'
    where f.agent_id = $1 and f.status = 'reversed')`
const CREDIT_IDS = `
  select id from transfers
  where $5::boolean and credit_account = $1 and id >= $2 and id < $3 and id not in (
    select id from fundings where agent_id = $1)`
const FUNDING_IDS = `
  select id from fundings where agent_id = $1 and id >= $2 and id < $3 and status = any($6::text[])`

const SELECT_LAST_SKIPPED = `
  select id from (
    (${DEBIT_IDS} order by id desc limit $7)
    union all (${CREDIT_IDS} order by id desc limit $7)
    union all (${FUNDING_IDS} order by id desc limit $7)
  ) lines
  order by id desc offset $7 - 1 limit 1`

const COUNT_RANGE = `
  select count(*) as total from (${DEBIT_IDS} union all ${CREDIT_IDS} union all ${FUNDING_IDS}) lines`

/**
 * The account counts its transfers. A completed funding is one of them and a reversed one two, and neither is a line
 * for it; the fundings themselves are.
 */
const COUNT_WHOLE = `
  select a.sequence - f.posted + f.lines as total
  from accounts a, (
    select count(*) filter (where status in ('completed', 'reversed'))
        + count(*) filter (where status = 'reversed') as posted,
      count(*) filter (where status = any($2::text[])) as lines
    from fundings where agent_id = $1
  ) f
  where a.id = $1`

function rangeOf({ wallet, from, until, debits, credits, fundingStatuses }: StatementScope): unknown[] {
  return [wallet, from, until, debits, credits, fundingStatuses]
}

/** A page of the statement, newest first. */
export async function selectLines(
  db: Queryable,
  scope: StatementScope,
  { before, offset, fetch }: PageRequest,
): Promise<StatementLine[]> {
  const until = before !== null && before < scope.until ? before : scope.until
  const rest = await afterSkipping(db, { ...scope, until }, offset)
  return rest === null ? [] : db.query<StatementLine>(SELECT_LINES, [...rangeOf(rest), fetch])
}

/** What follows the newest lines, null when there are no more than those. */
async function afterSkipping(
  db: Queryable,
  scope: StatementScope,
  lines: number,
): Promise<StatementScope | null> {
  if (lines === 0) return scope
  const [last] = await db.query<{ id: Uuid }>(SELECT_LAST_SKIPPED, [...rangeOf(scope), lines])
  return last === undefined ? null : { ...scope, until: last.id }
}

export async function countLines(db: Queryable, scope: StatementScope): Promise<bigint> {
  const [row] = await (scope.whole
    ? db.query<{ total: bigint }>(COUNT_WHOLE, [scope.wallet, scope.fundingStatuses])
    : db.query<{ total: bigint }>(COUNT_RANGE, rangeOf(scope)))
  return row?.total ?? 0n
}

export async function selectNames(db: Queryable, agentIds: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const rows = await db.query<{ id: Uuid; name: string }>(
    `select id, name from agents where id = any($1::uuid[])`,
    [agentIds],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
