import { TRANSACTION_STATUSES } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import { FIRST_UUID, LAST_UUID } from '../../../kernel/ids.ts'
import {
  amountOfDebit,
  feeOfDebit,
  OUTCOMES,
  payeeOfDebit,
  STATUS_OF_DEBIT,
  statusOf,
} from './set-aside-sql.ts'
import { WHOLE_SOURCES } from './statement-scope.ts'

/**
 * The statements that read a wallet's statement. Their parameters: $1 wallets, $2 the first id, $3 the id before which
 * debit lines end, $4 that for credit lines, $5 sources, $6 statuses, and $7 how many lines.
 *
 * Fundings, payouts, holds and authorizations are one line each, whatever their outcome: so the transfer that ends one is
 * no line. Each part is an index range of one wallet, read from its newest end, and stops at the page's end, however long
 * the statement is.
 */

/** Transfers of a wallet that are no lines: the conditions of the indexes that contain only those. */
const isUnlistedDebit = (t: string) => `coalesce(${t}.kind in ('chargeback', 'payout'), false)`
const isUnlistedCredit = (t: string) =>
  `coalesce(${t}.kind in ('fund', 'escrow_refund', 'authorization_return', 'payout_failed', 'payout_reversed'), false)`

const SET_ASIDE = `kind in ('escrow_hold', 'authorization')`

const IN_DEBITS = 'id >= $2 and id < $3'
const IN_CREDITS = 'id >= $2 and id < $4'

/** Debit lines, including money set aside; its outcome is queried only for that. */
const debitLines = (source: 'debits' | 'holds', kinds: string) => `
  select t.id, 'debit' as side, t.kind, ${payeeOfDebit} as counterparty, ${amountOfDebit} as amount_paise,
    ${feeOfDebit} as fee_paise, ${STATUS_OF_DEBIT} as status,
    t.posted_at as began_at, t.linked_id, t.reference, t.note, null::text as utr,
    null::text as reason
  from transfers t ${OUTCOMES}
  where '${source}' = any($5::text[]) and t.debit_account = w.wallet and t.id >= $2 and t.id < $3 and t.${kinds}
    and ${STATUS_OF_DEBIT} = any($6::text[])
  order by t.id desc limit $7`

/** Credit lines. A release and a capture come from money set aside, whose payer theirs is. */
const CREDIT_LINES = `
  select t.id, 'credit', t.kind, coalesce(hold.debit_account, t.debit_account), t.amount_paise, t.fee_paise,
    'completed', t.posted_at, t.linked_id,
    case t.kind when 'escrow_release' then hold.reference else t.reference end,
    case t.kind when 'escrow_release' then hold.note else t.note end, null, null
  from transfers t left join lateral (
    select h.debit_account, h.reference, h.note from transfers h
    where t.kind in ('escrow_release', 'capture') and h.id = t.linked_id limit 1
  ) hold on true
  where 'credits' = any($5::text[]) and t.credit_account = w.wallet and t.id >= $2 and t.id < $4
    and t.kind in ('payment', 'refund', 'allocation', 'escrow_release', 'capture')
  order by t.id desc limit $7`

const FUNDING_LINES = `
  select id, 'credit', 'fund', null::uuid, amount_paise, coalesce(fee_paise, 0), status, created_at, null::uuid,
    null::text, null::text, null, failure_reason
  from fundings
  where 'fundings' = any($5::text[]) and agent_id = w.wallet and ${IN_CREDITS} and status = any($6::text[])
  order by id desc limit $7`

const PAYOUT_LINES = `
  select id, 'debit', kind, null::uuid, amount_paise, 0::int8, status, created_at, null::uuid, null::text, null::text,
    utr, reason
  from payouts
  where kind = any($5::text[]) and agent_id = w.wallet and ${IN_DEBITS} and status = any($6::text[])
  order by id desc limit $7`

const LINES = `
  (${debitLines('debits', `kind in ('payment', 'refund', 'allocation', 'escrow_hold', 'authorization')`)})
  union all (${debitLines('holds', SET_ASIDE)})
  union all (${CREDIT_LINES}) union all (${FUNDING_LINES}) union all (${PAYOUT_LINES})`

const LINE_COLUMNS = `w.wallet, id, side, kind, counterparty, amount_paise as "amountPaise", fee_paise as "feePaise",
  status, began_at as "beganAt", linked_id as "linkedId", reference, note, utr, reason`

export const SELECT_LINES = `
  select ${LINE_COLUMNS}
  from unnest($1::uuid[]) as w (wallet) cross join lateral (${LINES}) lines
  order by id desc, side limit $7`

/** Whether a transfer is one of those with an index of their own. Queried one by one: never a pass over all. */
const isIn = (side: 'debit_account' | 'credit_account', condition: string) => `
  (select o.id from transfers o where o.${side} = w.wallet and o.id = t.id and ${condition} limit 1) is not null`

/**
 * The same parts as ids alone, for skipping lines. The kind of a transfer would have to be read from its row, but what
 * is no line has indexes of its own, so the indexes contain everything that is needed.
 */
const SKIPPED = `
  (select t.id, 'debit' as side from transfers t
    where 'debits' = any($5::text[]) and t.debit_account = w.wallet and t.id >= $2 and t.id < $3
      and not (${isIn('debit_account', isUnlistedDebit('o'))})
      and (cardinality($6::text[]) > 1 or not (
        ${isIn('debit_account', `o.${SET_ASIDE} and ${statusOf('o')} <> all($6::text[])`)}))
    order by t.id desc limit $7)
  union all (select t.id, 'debit' from transfers t
    where 'holds' = any($5::text[]) and t.debit_account = w.wallet and t.id >= $2 and t.id < $3
      and t.${SET_ASIDE} and ${statusOf('t')} = any($6::text[])
    order by t.id desc limit $7)
  union all (select t.id, 'credit' from transfers t
    where 'credits' = any($5::text[]) and t.credit_account = w.wallet and t.id >= $2 and t.id < $4
      and not (${isIn('credit_account', isUnlistedCredit('o'))})
    order by t.id desc limit $7)
  union all (select id, 'credit' from fundings
    where 'fundings' = any($5::text[]) and agent_id = w.wallet and ${IN_CREDITS} and status = any($6::text[])
    order by id desc limit $7)
  union all (select id, 'debit' from payouts
    where kind = any($5::text[]) and agent_id = w.wallet and ${IN_DEBITS} and status = any($6::text[])
    order by id desc limit $7)`

const SKIPPED_LINES = `unnest($1::uuid[]) as w (wallet) cross join lateral (${SKIPPED}) lines`

export const SELECT_LAST_SKIPPED = `
  select id, side from ${SKIPPED_LINES} order by id desc, side offset $7 - 1 limit 1`

/** Every $8th of the newest $7 lines. */
export const SELECT_PLACES = `
  select id, side from (
    select id, side, row_number() over (order by id desc, side) as place
    from (select id, side from ${SKIPPED_LINES} order by id desc, side limit $7) newest
  ) numbered where place % $8::int8 = 0 order by place`

const DEBITS = `transfers t where t.debit_account = any($1::uuid[]) and t.id >= $2 and t.id < $3`
const CREDITS = `transfers t where t.credit_account = any($1::uuid[]) and t.id >= $2 and t.id < $4`

/** A count that is made only where its source is requested. */
const countOf = (rows: string, condition: string) =>
  `case when ${condition} then (select count(*) from ${rows}) else 0 end`
const isRequested = (source: 'debits' | 'holds' | 'credits' | 'fundings') => `'${source}' = any($5::text[])`

/** What must be added to the transfers of both sides, or subtracted, to count lines. */
const CORRECTIONS = `
  - ${countOf(`${DEBITS} and ${isUnlistedDebit('t')}`, isRequested('debits'))}
  - ${countOf(
    `${DEBITS} and t.${SET_ASIDE} and ${statusOf('t')} <> all($6::text[])`,
    `${isRequested('debits')} and cardinality($6::text[]) = 1`,
  )}
  + ${countOf(`${DEBITS} and t.${SET_ASIDE} and ${statusOf('t')} = any($6::text[])`, isRequested('holds'))}
  - ${countOf(`${CREDITS} and ${isUnlistedCredit('t')}`, isRequested('credits'))}
  + ${countOf(
    `fundings where agent_id = any($1::uuid[]) and ${IN_CREDITS} and status = any($6::text[])`,
    isRequested('fundings'),
  )}
  + (select count(*) from payouts where kind = any($5::text[]) and agent_id = any($1::uuid[]) and ${IN_DEBITS}
      and status = any($6::text[]))`

export const COUNT_RANGE = `
  select ${countOf(DEBITS, isRequested('debits'))} + ${countOf(CREDITS, isRequested('credits'))} ${CORRECTIONS} as total`

/** An account counts its transfers, so for a whole statement only the difference to its lines is counted here. */
export const COUNT_WHOLE = `
  select (select coalesce(sum(sequence), 0)::int8 from accounts where id = any($1::uuid[])) ${CORRECTIONS} as total`

/** The parameters of a statement of one whole wallet as constants. */
const OF_WHOLE = {
  $1: 'array[w.wallet]',
  $2: `'${FIRST_UUID}'`,
  $3: `'${LAST_UUID}'`,
  $4: `'${LAST_UUID}'`,
  $5: `'${arrayLiteral(WHOLE_SOURCES)}'`,
  $6: `'${arrayLiteral(TRANSACTION_STATUSES)}'`,
}

/** A text with SQL expressions in place of its parameters. */
function withExpressions(sql: string, expressions: Readonly<Record<string, string>>): string {
  return sql.replaceAll(/\$\d/g, parameter => expressions[parameter] ?? parameter)
}

/**
 * Pages of the whole statements of single wallets, with their totals and all names. Each text of $1 is a wallet, the ids
 * before which debit and credit lines end, and how many lines, with spaces between. An empty page is a row without a line.
 * Without `offset 0` PostgreSQL would count each statement again for each of its lines.
 */
export const SELECT_PAGES = `
  select w.place, w.total, w."walletName", lines.*,
    (select a.name from agents a where a.id = lines.counterparty) as "counterpartyName"
  from (
    select w.*, (select a.name from agents a where a.id = w.wallet) as "walletName",
      (${withExpressions(COUNT_WHOLE, OF_WHOLE)}) as total
    from (
      select place::int4 as place, split_part(page, ' ', 1)::uuid as wallet, split_part(page, ' ', 2)::uuid as until,
        split_part(page, ' ', 3)::uuid as credits_until, split_part(page, ' ', 4)::int8 as most
      from unnest($1::text[]) with ordinality as pages (page, place) offset 0
    ) w offset 0
  ) w
  left join lateral (
    select ${LINE_COLUMNS}
    from (${withExpressions(LINES, { ...OF_WHOLE, $3: 'w.until', $4: 'w.credits_until', $7: 'w.most' })}) lines
    order by id desc, side limit w.most
  ) lines on true
  order by w.place, lines.id desc, lines.side`
