import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { type StoredTransfer, type Transfer, transferColumns } from '../../../ledger/index.ts'

/** A wallet's account as it is stored: money in paise, moments in Unix milliseconds. */
export interface AccountFigures {
  readonly id: Uuid
  readonly balancePaise: bigint
  readonly totalFundedPaise: bigint
  readonly totalSpentPaise: bigint
  readonly sequence: bigint
  readonly lastPostedMs: bigint
  readonly lastSpentMs: bigint
  readonly hourFromMs: bigint
  readonly hourSpentPaise: bigint
  readonly dayFromMs: bigint
  readonly daySpentPaise: bigint
  readonly istDay: number
  readonly istDaySpentPaise: bigint
  readonly istMonthSpentPaise: bigint
  readonly hourRecipientsBound: number
  readonly countedThroughSequence: bigint
}

const ACCOUNT_COLUMNS = `id, balance_paise as "balancePaise", total_funded_paise as "totalFundedPaise",
  total_spent_paise as "totalSpentPaise", sequence, last_posted_ms as "lastPostedMs", last_spent_ms as "lastSpentMs",
  hour_from_ms as "hourFromMs", hour_spent_paise as "hourSpentPaise", day_from_ms as "dayFromMs",
  day_spent_paise as "daySpentPaise", ist_day as "istDay", ist_day_spent_paise as "istDaySpentPaise",
  ist_month_spent_paise as "istMonthSpentPaise", hour_recipients_bound as "hourRecipientsBound",
  counted_through_sequence as "countedThroughSequence"`

/** The next accounts of wallets by their ids. */
export function selectAccounts(db: Queryable, after: Uuid, limit: number): Promise<AccountFigures[]> {
  return db.query<AccountFigures>(
    `select ${ACCOUNT_COLUMNS} from accounts where id > $1 order by id limit $2`,
    [after, limit],
  )
}

export async function selectTotalSpent(db: Queryable, id: Uuid): Promise<bigint | null> {
  const [row] = await db.query<{ spent: bigint }>(
    `select total_spent_paise as spent from accounts where id = $1`,
    [id],
  )
  return row?.spent ?? null
}

/** A transfer as its debited wallet is proved by it. */
export interface DebitRow extends StoredTransfer {
  /** Of a hold: what its release paid, which only then counts as spent. */
  readonly releasedPaise: bigint | null
  /** Of a hold: the place of its refund in the payer's history. */
  readonly refundedSequence: bigint | null
}

export type CreditRow = Pick<
  Transfer,
  'id' | 'kind' | 'creditAccount' | 'amountPaise' | 'creditSequence' | 'creditBalancePaise' | 'postedAt'
>

const endOfHold = (column: string, kind: string) => `
  case when t.kind = 'escrow_hold' then (
    select e.${column} from transfers e where e.linked_id = t.id and e.kind = '${kind}' limit 1) end`

const DEBITS = `
  select ${transferColumns('t')}, ${endOfHold('amount_paise', 'escrow_release')} as "releasedPaise",
    ${endOfHold('credit_sequence', 'escrow_refund')} as "refundedSequence"
  from transfers t`

const CREDITS = `
  select t.id as "id", t.kind as "kind", t.credit_account as "creditAccount", t.amount_paise as "amountPaise",
    t.credit_sequence as "creditSequence", t.credit_balance_paise as "creditBalancePaise", t.posted_at as "postedAt"
  from transfers t`

/**
 * The transfers of one account behind an id, by the index of that account. By rows of both columns, because with a
 * condition on each the planner could go through the ids of all accounts, or through the whole table.
 */
const ofAccount = (account: string, wallet: string, after: string) => `
  where (${account}, t.id) > (${wallet}, ${after}) and (${account}, t.id) <= (${wallet}, '${LAST_UUID}')
  order by ${account}, t.id`

/** The columns of a statement, by the names that it gives them. */
const named = (rows: string) => [...rows.matchAll(/as ("\w+")/g)].map(([, name]) => `s.${name}`).join(', ')

const manyOf = (rows: string, account: string) => `
  select ${named(rows)} from unnest($1::uuid[]) w(id) cross join lateral (
    ${rows} ${ofAccount(account, 'w.id', `'${FIRST_UUID}'::uuid`)} limit $2) s limit $2`

const DEBITS_OF_MANY = manyOf(DEBITS, 't.debit_account')
const CREDITS_OF_MANY = manyOf(CREDITS, 't.credit_account')
const DEBITS_OF_ONE = `${DEBITS} ${ofAccount('t.debit_account', '$1::uuid', '$2::uuid')} limit $3`
const CREDITS_OF_ONE = `${CREDITS} ${ofAccount('t.credit_account', '$1::uuid', '$2::uuid')} limit $3`

export function selectDebits(db: Queryable, ids: readonly Uuid[], limit: number): Promise<DebitRow[]> {
  return db.query<DebitRow>(DEBITS_OF_MANY, [arrayLiteral(ids), limit])
}

export function selectCredits(db: Queryable, ids: readonly Uuid[], limit: number): Promise<CreditRow[]> {
  return db.query<CreditRow>(CREDITS_OF_MANY, [arrayLiteral(ids), limit])
}

/** A piece of what was debited from one account, by the transfers' ids. */
export function selectDebitsAfter(db: Queryable, id: Uuid, after: Uuid, limit: number): Promise<DebitRow[]> {
  return db.query<DebitRow>(DEBITS_OF_ONE, [id, after, limit])
}

export function selectCreditsAfter(
  db: Queryable,
  id: Uuid,
  after: Uuid,
  limit: number,
): Promise<CreditRow[]> {
  return db.query<CreditRow>(CREDITS_OF_ONE, [id, after, limit])
}
