import { newestOut } from '../../../ledger/index.ts'

/**
 * The outcome of money set aside, in SQL over a debit `t`: a hold in escrow, or an authorization. Scalars and laterals
 * with a limit, because the planner could run one pass over all transfers for a join.
 */

/** The end of a hold as `ended`; the newest transfer out of an authorization as `newest`. */
export const OUTCOMES = `
  left join lateral (
    select e.kind, e.credit_account from transfers e
    where t.kind = 'escrow_hold' and e.linked_id = t.id and e.kind in ('escrow_release', 'escrow_refund') limit 1
  ) ended on true
  left join lateral (
    select e.kind, e.amount_paise, e.fee_paise from transfers e
    where t.kind = 'authorization' and ${newestOut('e', 't')}
  ) newest on true`

/** What went back of an authorization that has ended, without the fee on what was captured. */
const RETURNED = `
  case newest.kind when 'authorization_return' then newest.amount_paise + newest.fee_paise - t.fee_paise else 0 end`

/** The outcome of an authorization by the newest transfer out of it: all of it, or a part, or nothing went back. */
const outcomeOf = (kind: string, returned: string, t: string) => `
  case when coalesce(${kind}, 'capture') = 'capture' then 'pending'
    when ${kind} = 'authorization_return' and ${returned} = ${t}.amount_paise + ${t}.fee_paise then 'reversed'
    else 'completed' end`

/** The status of a debit with its `OUTCOMES`. */
export const STATUS_OF_DEBIT = `
  case t.kind
    when 'escrow_hold' then case ended.kind when 'escrow_release' then 'completed' when 'escrow_refund' then 'reversed'
      else 'pending' end
    when 'authorization' then ${outcomeOf('newest.kind', 'newest.amount_paise + newest.fee_paise', 't')}
    else 'completed' end`

/** The amount of a debit: of an authorization that was captured and has ended, what was captured. */
export const amountOfDebit = `
  case when t.kind = 'authorization' and ${STATUS_OF_DEBIT} = 'completed' then t.amount_paise - ${RETURNED}
    else t.amount_paise end`

/** The fee of a debit: of an authorization that was captured and has ended, what was charged at the end. */
export const feeOfDebit = `
  case when t.kind = 'authorization' and ${STATUS_OF_DEBIT} = 'completed'
    then case newest.kind when 'authorization_return' then newest.fee_paise else newest.amount_paise end
    else t.fee_paise end`

/** The agent that was paid, or that the money is meant for. */
export const payeeOfDebit = `
  case when t.kind not in ('escrow_hold', 'authorization') then t.credit_account
    when ended.kind = 'escrow_release' then ended.credit_account else t.linked_id end`

/** The status of money set aside, without its `OUTCOMES`. */
export const statusOf = (t: string) => `
  case ${t}.kind when 'escrow_hold' then
    case (select e.kind from transfers e
        where e.linked_id = ${t}.id and e.kind in ('escrow_release', 'escrow_refund') limit 1)
      when 'escrow_release' then 'completed' when 'escrow_refund' then 'reversed' else 'pending' end
  else coalesce((
    select ${outcomeOf('e.kind', 'e.amount_paise + e.fee_paise', t)} from transfers e
    where ${newestOut('e', t)}), 'pending') end`
