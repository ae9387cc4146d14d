-- Money going out: payouts to owners' banks, the runs that settle unused balances, and what those runs left alone.

-- The id is that of the transfer out of the wallet. Its status changes only in the posting engine, under the lock of
-- the wallet's account. `next_check_at` is the job: at that moment the payout is sent or asked about; null when nothing
-- more is expected. The bank account is the owner's at the moment of the request.
create table payouts (
  agent_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  kind text not null check (kind in ('withdraw', 'settlement')),
  amount_paise int8 not null check (amount_paise > 0),
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed', 'reversed')),
  provider text not null,
  bank_account bytea not null,
  bank_account_last4 text not null,
  bank_ifsc text not null,
  -- The id that the provider knows the account by; null until it was asked.
  beneficiary_id text,
  -- Who asked and under which Idempotency-Key, so that a request repeated after a crash is the same payout.
  request_key text,
  -- The IST day of the run that made it.
  settlement_day int4,
  -- How often it was taken while pending. From the second time on the provider is asked before anything is sent.
  attempts int4 not null default 0,
  -- Set before the provider is sent to: where it is null, nothing was ever sent.
  last_sent_at timestamptz,
  provider_payout_id text,
  utr text,
  reason text,
  next_check_at timestamptz,
  created_at timestamptz not null,
  -- When it was completed or failed.
  closed_at timestamptz,
  reversed_at timestamptz,
  primary key (agent_id, id)
);
create index payouts_id on payouts (id);
create index payouts_due on payouts (next_check_at) where next_check_at is not null;
create index payouts_status on payouts (agent_id, status);
create unique index payouts_request on payouts (agent_id, request_key) where request_key is not null;
-- A wallet is settled once by each run. The day leads, because a run counts what it has paid from agent to agent.
create unique index payouts_settlement on payouts (settlement_day, agent_id) where settlement_day is not null;

-- What came into a wallet since a moment is read by ids, which are times. A funding's credit alone has an id that is
-- older than itself.
create index transfers_funded on transfers (credit_account, posted_at) where kind = 'fund';

-- One run for each business day. The node with the lease goes through the wallets by their ids; whoever takes over goes
-- on behind `done_through`. The counts are of the wallets up to there.
create table settlement_runs (
  -- IST day, as days since 1970-01-01.
  day int4 primary key,
  done_through uuid,
  leased_by uuid,
  leased_until timestamptz,
  paid_count int4 not null default 0,
  paid_paise int8 not null default 0,
  -- How many were left alone, by reason.
  skipped jsonb not null default '{}',
  started_at timestamptz not null,
  finished_at timestamptz
);

-- Wallets that a run would have paid out but left alone.
create table settlement_skips (
  day int4 not null,
  agent_id uuid not null,
  reason text not null,
  balance_paise int8 not null,
  primary key (day, agent_id)
);
