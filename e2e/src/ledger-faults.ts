import type { ServiceDatabase } from './database.ts'

type Query = ServiceDatabase['query']

/** Both sides of every transfer, as signed changes. A side that is not a wallet has no row in `accounts`. */
const SIDES = `
  select debit_account as account, -(amount_paise + fee_paise) as change from transfers
  union all
  select credit_account, amount_paise from transfers`

/** The sum of the fees: what is debited beyond what is credited. */
const CHECKS: Readonly<Record<string, string>> = {
  'a stored balance differs from the transfers': `
    select a.id::text as what from accounts a
    left join (select account, sum(change) as balance from (${SIDES}) s group by account) t on t.account = a.id
    where a.balance_paise <> coalesce(t.balance, 0)`,
  'a wallet is below zero without a chargeback': `
    select id::text as what from accounts a where balance_paise < 0
      and not exists (select 1 from transfers t where t.debit_account = a.id and t.kind = 'chargeback')`,
  'a step of a history does not follow from the one before': `
    select account::text as what from (
      select account, sequence, balance, change,
        lag(sequence, 1, 0::int8) over history as sequence_before, lag(balance, 1, 0::int8) over history as before
      from (
        select debit_account as account, debit_sequence as sequence, debit_balance_paise as balance,
          -(amount_paise + fee_paise) as change from transfers where debit_sequence is not null
        union all
        select credit_account, credit_sequence, credit_balance_paise, amount_paise
          from transfers where credit_sequence is not null
      ) s window history as (partition by account order by sequence)
    ) steps where sequence <> sequence_before + 1 or balance <> before + change`,
  'the totals differ from the transfers': `
    select a.id::text as what from accounts a
    left join (select id, sum(spent) as spent from (
        select debit_account as id, amount_paise + fee_paise as spent from transfers where kind in ('payment', 'refund')
        union all
        select h.debit_account, r.amount_paise from transfers h
          join transfers r on r.linked_id = h.id and r.kind = 'escrow_release'
          where h.kind = 'escrow_hold'
        union all
        select h.debit_account, case r.kind when 'authorization_return' then r.fee_paise else r.amount_paise end
          from transfers h join transfers r on r.linked_id = h.id
          where h.kind = 'authorization' and r.kind in ('capture', 'authorization_return', 'authorization_fee')
      ) spendings group by 1) d on d.id = a.id
    left join (select credit_account as id, sum(amount_paise) as funded from transfers
      where kind in ('payment', 'refund', 'allocation', 'fund', 'escrow_release', 'capture') group by 1) c on c.id = a.id
    where a.total_spent_paise <> coalesce(d.spent, 0) or a.total_funded_paise <> coalesce(c.funded, 0)`,
  'an escrow and its transfers disagree': `
    select coalesce(e.id, h.id)::text as what
    from escrows e full join (select * from transfers where kind = 'escrow_hold') h on h.id = e.id
    left join (select linked_id, min(kind) as kind, count(*) as times, sum(amount_paise) as amount_paise from transfers
      where kind in ('escrow_release', 'escrow_refund') group by 1) r on r.linked_id = h.id
    where e.id is null or h.id is null or e.agent_id <> h.debit_account or e.amount_paise <> h.amount_paise
      or r.times > 1 or r.amount_paise <> h.amount_paise
      or e.status <> case r.kind when 'escrow_release' then 'released' when 'escrow_refund' then 'refunded' else 'held' end`,
  'an authorization and its transfers disagree': `
    select coalesce(a.id, h.id)::text as what
    from authorizations a full join (select * from transfers where kind = 'authorization') h on h.id = a.id
    left join (select linked_id,
        coalesce(sum(amount_paise) filter (where kind = 'capture'), 0) as captured,
        sum(case kind when 'authorization_return' then fee_paise when 'authorization_fee' then amount_paise else 0 end)
          as fee,
        count(*) filter (where kind <> 'capture') as ends, sum(amount_paise + fee_paise) as moved
      from transfers where kind in ('capture', 'authorization_return', 'authorization_fee') group by 1) r
      on r.linked_id = h.id
    where a.id is null or h.id is null or a.agent_id <> h.debit_account or a.payee <> h.linked_id
      or a.amount_paise <> h.amount_paise or a.fee_reserved_paise <> h.fee_paise
      or a.captured_paise <> coalesce(r.captured, 0) or a.captured_paise > a.amount_paise
      or a.fee_paise <> coalesce(r.fee, 0)
      or coalesce(r.ends, 0) <> case when a.status in ('open', 'closing') then 0 else 1 end
      or a.status not in ('open', 'closing') and r.moved <> h.amount_paise + h.fee_paise`,
  'a payout and its transfers disagree': `
    select coalesce(p.id, t.id)::text as what
    from payouts p full join (select * from transfers where kind = 'payout') t on t.id = p.id
    left join (select linked_id, string_agg(kind, ' ' order by id) as kinds,
        bool_and(amount_paise = (select o.amount_paise from transfers o where o.id = r.linked_id and o.kind = 'payout'))
          as same from transfers r where kind in ('payout_paid', 'payout_failed', 'payout_reversed') group by 1) r
      on r.linked_id = t.id
    where p.id is null or t.id is null or p.agent_id <> t.debit_account or p.amount_paise <> t.amount_paise
      or not coalesce(r.same, true)
      or p.status <> case coalesce(r.kinds, '') when '' then 'pending' when 'payout_paid' then 'completed'
        when 'payout_failed' then 'failed' when 'payout_paid payout_reversed' then 'reversed' else 'impossible' end`,
  'a key took effect twice': `
    select debit_account::text || ' ' || idempotency_key as what from transfers
    where idempotency_key is not null group by debit_account, idempotency_key having count(*) > 1`,
  'more was refunded than paid': `
    select p.id::text as what from transfers p join transfers r on r.linked_id = p.id and r.kind = 'refund'
    where p.kind in ('payment', 'capture') group by p.id, p.amount_paise having sum(r.amount_paise) > p.amount_paise`,
  'a funding and its transfer disagree': `
    select f.id::text as what from fundings f left join transfers t on t.id = f.id and t.kind = 'fund'
    where (f.status in ('completed', 'reversed')) <> (t.id is not null)
      or t.amount_paise + t.fee_paise <> f.amount_paise`,
  'the sum of all accounts is not zero': `
    select total::text as what from (
      select (select coalesce(sum(balance_paise), 0) from accounts)
        + (select coalesce(sum(change), 0) from (${SIDES}) s where account not in (select id from accounts))
        + (select coalesce(sum(fee_paise), 0) from transfers) as total
    ) whole where total <> 0`,
}

/** The faults of a service's ledger, read from its tables without any of its code. */
export async function ledgerFaults(query: Query): Promise<string[]> {
  const faults: string[] = []
  for (const [name, text] of Object.entries(CHECKS)) {
    for (const { what } of await query<{ what: string }>(text)) faults.push(`${name}: ${what}`)
  }
  return faults
}
