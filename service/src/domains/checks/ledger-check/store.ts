import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, LAST_UUID, momentOf, type Uuid } from '../../../kernel/ids.ts'
import {
  type Fold,
  readFoldedBefore,
  type StoredTransfer,
  SYSTEM,
  type Transfer,
  type TransferKind,
  transferColumns,
} from '../../../ledger/index.ts'

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

/** A transfer that debits a wallet. */
export interface DebitRow extends StoredTransfer {
  /** Of money set aside: what was spent of it so far. */
  readonly spentPaise: bigint | null
  /** Of money set aside: what went back of it, and the sequence number of that in the payer's history. */
  readonly undonePaise: bigint | null
  readonly undoneSequence: bigint | null
}

export type CreditRow = Pick<
  Transfer,
  'id' | 'kind' | 'creditAccount' | 'amountPaise' | 'creditSequence' | 'creditBalancePaise' | 'postedAt'
>

const ended = (expression: string, kinds: string) => `
  (select ${expression} from transfers e where e.linked_id = t.id and e.kind in (${kinds}) limit 1)`

const UNDOING = `'escrow_refund', 'authorization_return'`

/** The captures of an authorization, and the fee at its end. */
const SPENT_OF_AUTHORIZATION = `
  (select coalesce(sum(case e.kind when 'authorization_return' then e.fee_paise else e.amount_paise end), 0)::int8
   from transfers e
   where e.linked_id = t.id and e.kind in ('capture', 'authorization_return', 'authorization_fee'))`

const DEBITS = `
  select ${transferColumns('t')},
    case t.kind when 'escrow_hold' then ${ended('e.amount_paise', `'escrow_release'`)}
      when 'authorization' then ${SPENT_OF_AUTHORIZATION} end as "spentPaise",
    case when t.kind in ('escrow_hold', 'authorization') then
      ${ended('e.amount_paise + e.fee_paise - t.fee_paise', UNDOING)} end as "undonePaise",
    case when t.kind in ('escrow_hold', 'authorization') then
      ${ended('e.credit_sequence', UNDOING)} end as "undoneSequence"
  from transfers t`

const CREDITS = `
  select t.id as "id", t.kind as "kind", t.credit_account as "creditAccount", t.amount_paise as "amountPaise",
    t.credit_sequence as "creditSequence", t.credit_balance_paise as "creditBalancePaise", t.posted_at as "postedAt"
  from transfers t`

/**
 * The transfers of one account after an id. Compares rows of both columns of its index, because with a condition on each
 * the planner could scan the ids of all accounts, or the whole table.
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

/** Some of the transfers that debit one account, by id. */
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

/** All wallets together, in sums by account. */
export const WALLETS: Uuid = '00000000-0000-0000-0000-000000000000'

/** The sum of the transfers of one kind between two accounts, in paise. */
export interface Sum {
  readonly kind: TransferKind
  readonly debit: Uuid
  readonly credit: Uuid
  readonly amount: bigint
  readonly fee: bigint
}

const SYSTEM_IDS = Object.values(SYSTEM)
  .map(id => `'${id}'`)
  .join(', ')
const ownOrWallets = (account: string) =>
  `case when ${account} in (${SYSTEM_IDS}) then ${account} else '${WALLETS}' end`

/**
 * $1 and $2 are ids, $3 and $4 their times. Payments and holds, which are many, get their ids when they are posted. Some
 * of the others have older ids, that of a funding for example, so they are selected by the time of posting, which has an
 * index of its own.
 */
const SUM_RANGE = `
  select kind, ${ownOrWallets('debit_account')} as debit_account, ${ownOrWallets('credit_account')} as credit_account,
    count(*) as count, sum(amount_paise)::int8 as amount_paise, sum(fee_paise)::int8 as fee_paise
  from (
    select kind, debit_account, credit_account, amount_paise, fee_paise from transfers
    where id >= $1 and id < $2 and kind in ('payment', 'escrow_hold')
    union all
    select kind, debit_account, credit_account, amount_paise, fee_paise from transfers
    where posted_at >= $3 and posted_at < $4 and coalesce(kind not in ('payment', 'escrow_hold'), false)
  ) t group by 1, 2, 3`

function rangeOf(from: Uuid, before: Uuid): unknown[] {
  return [from, before, momentOf(from), before === LAST_UUID ? 'infinity' : momentOf(before)]
}

const ADD_RANGE = `
  insert into book_sums as s (kind, debit_account, credit_account, count, amount_paise, fee_paise) ${SUM_RANGE}
  on conflict (kind, debit_account, credit_account) do update set count = s.count + excluded.count,
    amount_paise = s.amount_paise + excluded.amount_paise, fee_paise = s.fee_paise + excluded.fee_paise`

export const LEDGER_SUMS: Fold = {
  name: 'book sums',
  async add(tx, from, before) {
    await tx.query(ADD_RANGE, rangeOf(from, before))
  },
}

const COLUMNS = `kind, debit_account as debit, credit_account as credit, amount_paise as amount, fee_paise as fee`

/** Every sum as of this snapshot: the stored sums, and those of later transfers. */
export async function selectSums(tx: Queryable): Promise<Sum[]> {
  const folded = await tx.query<Sum>(`select ${COLUMNS} from book_sums`, [])
  const before = await readFoldedBefore(tx, LEDGER_SUMS.name)
  const rest = await tx.query<Sum>(`select ${COLUMNS} from (${SUM_RANGE}) r`, rangeOf(before, LAST_UUID))
  return [...folded, ...rest]
}

/** The stored sum of the debits of a system account, and up to which time. */
export async function selectFoldedDebits(
  tx: Queryable,
  account: Uuid,
): Promise<{ untilMs: number; debited: bigint }> {
  const [row] = await tx.query<{ debited: bigint }>(
    `select coalesce(sum(amount_paise + fee_paise), 0)::int8 as debited from book_sums where debit_account = $1`,
    [account],
  )
  const until = momentOf(await readFoldedBefore(tx, LEDGER_SUMS.name))
  return { untilMs: until.getTime(), debited: row?.debited ?? 0n }
}

/** Whether more than so many transfers are not in the stored sums yet, so that summing them would take long. */
export async function isFarBehind(tx: Queryable, transfers: number): Promise<boolean> {
  const before = await readFoldedBefore(tx, LEDGER_SUMS.name)
  const [row] = await tx.query(`select id from transfers where id >= $1 order by id offset $2 limit 1`, [
    before,
    transfers,
  ])
  return row !== undefined
}

export async function sumWallets(tx: Queryable): Promise<bigint> {
  const [row] = await tx.query<{ sum: bigint }>(
    `select coalesce(sum(balance_paise), 0)::int8 as sum from accounts`,
    [],
  )
  return row?.sum ?? 0n
}
