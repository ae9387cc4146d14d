/**
 * The statements that read the payments and holds that agents made with a reference. Their parameters: $1 wallets, $2 the
 * first id, $3 the id before which lines end, $4 statuses, $5 the reference, $6 how many lines, $7 the step of places.
 *
 * `offset 0` keeps the order of the page out of the innermost query: the planner would otherwise read a wallet from its
 * newest end and compare every reference, instead of the index of references.
 */
const WITH_REFERENCE = `
  (select r.id, r.kind, r.credit_account, r.amount_paise, r.fee_paise, r.posted_at, r.linked_id, r.reference, r.note
   from transfers r
   where r.debit_account = w.wallet and r.reference = $5 and r.id >= $2 and r.id < $3
     and r.kind in ('payment', 'escrow_hold') offset 0) t
  left join lateral (
    select e.kind, e.credit_account from transfers e
    where t.kind = 'escrow_hold' and e.linked_id = t.id and e.kind in ('escrow_release', 'escrow_refund') limit 1
  ) ended on true`

const STATUS = `case when t.kind = 'payment' or ended.kind = 'escrow_release' then 'completed'
  when ended.kind is null then 'pending' else 'reversed' end`

const FOUND = `from unnest($1::uuid[]) w (wallet) cross join lateral ${WITH_REFERENCE}
  where ${STATUS} = any($4::text[])`

export const SELECT_LINES_BY_REFERENCE = `
  select w.wallet, t.id, 'debit' as side, t.kind,
    case when t.kind = 'payment' then t.credit_account
      when ended.kind = 'escrow_release' then ended.credit_account else t.linked_id end as counterparty,
    t.amount_paise as "amountPaise", t.fee_paise as "feePaise", ${STATUS} as status, t.posted_at as "beganAt",
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
