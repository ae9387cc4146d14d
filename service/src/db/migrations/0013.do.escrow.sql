-- Money that waits in escrow, and the events that tell platforms what happened.

-- The id is that of the transfer into escrow. Written only by the posting engine under the lock of the payer's
-- account, so release, refund, attestation and timeout race to exactly one outcome.
create table escrows (
  agent_id uuid not null,
  id uuid not null,
  -- Who shall have the money; null while nobody was named.
  to_agent uuid,
  attestor uuid,
  amount_paise int8 not null check (amount_paise > 0),
  reference text,
  status text not null default 'held' check (status in ('held', 'released', 'refunded')),
  auto_action text check (auto_action in ('refund', 'release')),
  expires_at timestamptz,
  -- When the timeout is to be tried next: the job, which puts it off without that lock. null when there is none or the
  -- escrow is closed.
  next_try_at timestamptz,
  -- Who has the money of a released escrow.
  released_to uuid,
  created_at timestamptz not null,
  resolved_at timestamptz,
  -- The payer's sequence at the hold: a refund has to know whether counterparties were counted with it.
  hold_sequence int8 not null,
  primary key (agent_id, id)
);
create index escrows_id on escrows (id);
create index escrows_due on escrows (next_try_at) where next_try_at is not null;
create index escrows_held on escrows (agent_id) where status = 'held';

-- Facts for platforms, each written in the commit of what it tells. One row for each platform concerned: it is named by
-- the agent or owner that the platform has, which never changes hands.
create table events (
  id uuid primary key,
  agent_id uuid,
  owner_id uuid,
  name text not null,
  data jsonb not null,
  created_at timestamptz not null,
  check ((agent_id is null) <> (owner_id is null))
);
create index events_agent on events (agent_id, id) where agent_id is not null;
