import { amountOfDebit, feeOfDebit, OUTCOMES, payeeOfDebit, STATUS_OF_DEBIT } from './set-aside-sql.ts'

/**
 * The statements that read the payments, holds and authorizations that agents made with a reference. Their parameters: $1 wallets, $2 the
 * first id, $3 the id before which lines end, $4 statuses, $5 the reference, $6 how many lines, $7 the step of places.
 *
 * `offset 0` keeps the order of the page out of the innermost query: the planner would otherwise read a wallet from its
 * newest end and compare every reference, instead of the index of references.
 */
const WITH_REFERENCE = `
  (select r.id, r.kind, r.credit_account, r.amount_paise, r.fee_paise, r.posted_at, r.linked_id, r.reference, r.note
   from transfers r
   where r.debit_account = w.wallet and r.reference = $5 and r.id >= $2 and r.id < $3
     and r.kind in ('payment', 'escrow_hold', 'authorization') offset 0) t ${OUTCOMES}`

const FOUND = `from unnest($1::uuid[]) w (wallet) cross join lateral ${WITH_REFERENCE}
  where ${STATUS_OF_DEBIT} = any($4::text[])`

export const SELECT_LINES_BY_REFERENCE = `
  select w.wallet, t.id, 'debit' as side, t.kind,
    ${payeeOfDebit} as counterparty, ${amountOfDebit} as "amountPaise", ${feeOfDebit} as "feePaise",
    ${STATUS_OF_DEBIT} as status, t.posted_at as "beganAt",
    t.linked_id as "linkedId", t.reference, t.note, null::text as utr,
    null::text as reason
  ${FOUND} order by t.id desc limit $6`

/** Every $7th of the newest $6 lines. */
export const SELECT_PLACES_BY_REFERENCE = `
  select id, 'debit' as side from (
    select newest.id, row_number() over (order by newest.id desc) as place
    from (select t.id ${FOUND} order by t.id desc limit $6) newest
  ) numbered where place % $7::int8 = 0 order by place`

export const COUNT_BY_REFERENCE = `select count(*) as total ${FOUND}`
