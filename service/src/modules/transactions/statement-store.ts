import type { TransactionStatus } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { TransferKind } from '../../ledger/index.ts'
import { lineIdOf, type StatementScope, upTo } from './statement-scope.ts'

/** One line of a wallet's statement as the book and the fundings tell it. */
export interface StatementLine {
  /** Whose line it is. */
  readonly wallet: Uuid
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
 * Each part is an index range of one wallet, read from its newest end, and stops at the page's, however long the
 * statement is.
 */
const SELECT_LINES = `
  select w.wallet, id, side, kind, counterparty, amount_paise as "amountPaise", fee_paise as "feePaise", status,
    began_at as "beganAt", linked_id as "linkedId", reference, note
  from unnest($1::uuid[]) as w (wallet) cross join lateral (
    (select id, 'debit' as side, kind, credit_account as counterparty, amount_paise, fee_paise,
       'completed' as status, posted_at as began_at, linked_id, reference, note
     from transfers
     where $5::boolean and debit_account = w.wallet and id >= $2 and id < $3 and kind not in ('fund', 'chargeback')
     order by id desc limit $8)
    union all
    (select id, 'credit', kind, debit_account, amount_paise, fee_paise,
       'completed', posted_at, linked_id, reference, note
     from transfers
     where $6::boolean and credit_account = w.wallet and id >= $2 and id < $4 and kind not in ('fund', 'chargeback')
     order by id desc limit $8)
    union all
    (select id, 'credit', 'fund', null::uuid, amount_paise, coalesce(fee_paise, 0),
       status, created_at, null::uuid, null::text, null::text
     from fundings
     where agent_id = w.wallet and id >= $2 and id < $4 and status = any($7::text[])
     order by id desc limit $8)
  ) lines
  order by id desc, side limit $8`

/**
 * The same three parts as ids alone, for what counts and skips lines: the kind of a transfer would have to be read from
 * its row, but the transfers that are no lines are known from the fundings, so the indexes have all that is needed.
 */
function idsOf(wallet: 'w.wallet' | 'any($1::uuid[])') {
  return {
    debits: `
      select id, 'debit' as side from transfers
      where $5::boolean and debit_account = ${wallet} and id >= $2 and id < $3 and id not in (
        select c.id from fundings f join transfers c on c.linked_id = f.id and c.kind = 'chargeback'
        where f.agent_id = any($1::uuid[]) and f.status = 'reversed')`,
    credits: `
      select id, 'credit' from transfers
      where $6::boolean and credit_account = ${wallet} and id >= $2 and id < $4 and id not in (
        select id from fundings where agent_id = any($1::uuid[]))`,
    fundings: `
      select id, 'credit' from fundings
      where agent_id = ${wallet} and id >= $2 and id < $4 and status = any($7::text[])`,
  }
}

const ofEach = idsOf('w.wallet')
const SELECT_LAST_SKIPPED = `
  select id, side from unnest($1::uuid[]) as w (wallet) cross join lateral (
    (${ofEach.debits} order by id desc limit $8)
    union all (${ofEach.credits} order by id desc limit $8)
    union all (${ofEach.fundings} order by id desc limit $8)
  ) lines
  order by id desc, side offset $8 - 1 limit 1`

const ofAll = idsOf('any($1::uuid[])')
const COUNT_RANGE = `
  select count(*) as total from (${ofAll.debits} union all ${ofAll.credits} union all ${ofAll.fundings}) lines`

/**
 * An account counts its transfers. A completed funding is one of them and a reversed one two, and neither is a line
 * for it; the fundings themselves are.
 */
const COUNT_WHOLE = `
  select a.transfers - f.posted + f.lines as total
  from (select coalesce(sum(sequence), 0)::int8 as transfers from accounts where id = any($1::uuid[])) a, (
    select count(*) filter (where status in ('completed', 'reversed'))
        + count(*) filter (where status = 'reversed') as posted,
      count(*) filter (where status = any($2::text[])) as lines
    from fundings where agent_id = any($1::uuid[])
  ) f`

function rangeOf(scope: StatementScope): unknown[] {
  const { wallets, from, until, creditsUntil, debits, credits, fundingStatuses } = scope
  return [wallets, from, until, creditsUntil, debits, credits, fundingStatuses]
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
  const [row] = await (scope.whole
    ? db.query<{ total: bigint }>(COUNT_WHOLE, [scope.wallets, scope.fundingStatuses])
    : db.query<{ total: bigint }>(COUNT_RANGE, rangeOf(scope)))
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
