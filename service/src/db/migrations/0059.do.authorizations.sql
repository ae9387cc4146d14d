-- Authorizations: money that a payer sets aside for one payee, who captures it in parts.

-- The id is that of the transfer that set the money aside. Written only by the posting engine under the lock of the
-- payer's account, so captures and the end have exactly one order.
create table authorizations (
  agent_id uuid not null,
  id uuid not null,
  payee uuid not null,
  amount_paise int8 not null check (amount_paise > 0),
  fee_reserved_paise int8 not null check (fee_reserved_paise > 0),
  reference text,
  -- The key that signs vouchers, base64; null: captures need none.
  voucher_key text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The payer's sequence when the money was set aside.
  hold_sequence int8 not null,
  status text not null check (status in ('open', 'closing', 'closed', 'expired', 'voided')),
  captured_paise int8 not null check (captured_paise between 0 and amount_paise),
  -- The last capture, or the transfer that ended it.
  last_transfer uuid,
  -- The day in IST of the last capture, and the captures on it.
  captures_day int4 not null,
  day_captures int4 not null,
  -- When the closing began, and how long the payer's money had been blocked by then.
  closing_since timestamptz,
  closing_blocked_ms int8,
  fee_paise int8 not null,
  closed_at timestamptz,
  -- When the job looks at it next, which puts it off without that lock; null after the end.
  next_try_at timestamptz,
  mac bytea,
  primary key (agent_id, id)
);
insert into row_macs (table_name) values ('authorizations');
create index authorizations_id on authorizations (id);
create index authorizations_due on authorizations (next_try_at) where next_try_at is not null;
create index authorizations_open on authorizations (agent_id, status) where status in ('open', 'closing');
create index authorizations_of_payee on authorizations (payee, id) where status in ('open', 'closing');

-- What ended an authorization, and its newest transfer, are asked of the ledger however many captures it has. Their
-- conditions are repeated word for word in the statements.
create index transfers_undoing on transfers (linked_id) where kind in ('escrow_refund', 'authorization_return');
create index transfers_of_authorizations on transfers (linked_id, (kind = 'capture'), credit_sequence desc nulls last)
  where kind in ('capture', 'authorization_return', 'authorization_fee');
create index audit_entries_authorizations on audit_entries (target)
  where action in ('authorization.closing', 'authorization.closed', 'authorization.voided');

-- Statements: money set aside is one line, whatever its outcome, and what goes back of it is none.
create index transfers_set_aside on transfers (debit_account, id) where kind in ('escrow_hold', 'authorization');
drop index transfers_holds;
drop index transfers_unlisted_credits;
create index transfers_unlisted_credits on transfers (credit_account, id)
  where coalesce(kind in ('fund', 'escrow_refund', 'authorization_return', 'payout_failed', 'payout_reversed'), false);

-- When an agent was stopped and for how long its money was blocked: authorizations close by it.
alter table agents add column paused_at timestamptz;
alter table agents add column blocked_at timestamptz;
alter table agents add column blocked_ms int8;

-- Agents whose state or policy has changed, for the work that follows from it.
create table changed_agents (
  id uuid primary key,
  changes int8 not null default 1,
  due_at timestamptz not null default '-infinity'
);
create index changed_agents_due on changed_agents (due_at);

alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check
  check (kind in ('payment', 'escrow_hold', 'authorization'));

-- The last round of the ledger check knew no authorizations, so nothing of them differed.
update scans set result = jsonb_set(result, '{sums,authorizationsDifference}', '{"$bigint": "0"}')
where name = 'ledger check' and result is not null;
