-- The double-entry book: accounts, and transfers that debit one account and credit another.

-- Wallet accounts only: the balances of system accounts are derived from the transfers, so that no
-- payment waits for a row that every payment touches. Narrow, half-filled pages and no index on what
-- changes keep every update in its page. Times are Unix milliseconds: the engine compares, never prints them.
create table accounts (
  id uuid primary key,
  -- Goes up with every change of the agent that decides about payments; who changes it holds this row's lock.
  agent_version int4 not null default 1,
  balance_paise int8 not null default 0,
  total_funded_paise int8 not null default 0,
  total_spent_paise int8 not null default 0,
  sequence int8 not null default 0,
  last_posted_ms int8 not null,
  last_spent_ms int8 not null,
  hour_from_ms int8 not null,
  hour_spent_paise int8 not null default 0,
  day_from_ms int8 not null,
  day_spent_paise int8 not null default 0,
  ist_day int4 not null,
  ist_day_spent_paise int8 not null default 0,
  ist_month_spent_paise int8 not null default 0,
  counterparties_since_ms int8
) with (fillfactor = 50);

-- Debited: amount + fee. Credited: amount. The fee goes to the fee account of the kind.
-- Rows are only ever inserted. The debited account leads the key, so a distributed database keeps a
-- payer's history on one shard.
create table transfers (
  debit_account uuid not null,
  id uuid not null,
  credit_account uuid not null,
  kind text not null,
  amount_paise int8 not null check (amount_paise > 0),
  fee_paise int8 not null default 0 check (fee_paise >= 0),
  debit_balance_paise int8,
  credit_balance_paise int8,
  debit_sequence int8,
  credit_sequence int8,
  posted_at timestamptz not null,
  seal bytea not null,
  linked_id uuid,
  idempotency_key text,
  reference text,
  note text,
  primary key (debit_account, id)
);
create index transfers_credit on transfers (credit_account, id);
create index transfers_id on transfers (id);
create unique index transfers_idempotency on transfers (debit_account, idempotency_key)
  where idempotency_key is not null;
create index transfers_reference on transfers (debit_account, reference, credit_account, id)
  where reference is not null;
create index transfers_linked on transfers (linked_id) where linked_id is not null;
