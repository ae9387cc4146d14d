-- What waits for an owner's word: payments and holds above an approval threshold.

-- Written and decided only by the posting engine under the lock of the agent's account, so approve, reject and
-- expire race to exactly one outcome. One past `expires_at` counts as expired, swept or not.
create table approvals (
  agent_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('payment', 'escrow_hold')),
  payee uuid,
  amount_paise int8 not null check (amount_paise > 0),
  fee_paise int8 not null check (fee_paise >= 0),
  reference text,
  note text,
  idempotency_key text,
  unique_reference boolean not null,
  rule text not null check (rule in ('require_human_approval_above')),
  layer text not null,
  -- What a hold needs beyond the above.
  terms jsonb,
  status text not null default 'pending_approval'
    check (status in ('pending_approval', 'approved', 'rejected', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  payment_id uuid,
  primary key (agent_id, id)
);
create index approvals_id on approvals (id);
create index approvals_status on approvals (agent_id, status, id);
create index approvals_due on approvals (expires_at) where status = 'pending_approval';
-- Not unique: the account's lock makes it exact, and an expired one not yet swept must not be in the way.
create index approvals_key on approvals (agent_id, idempotency_key)
  where status = 'pending_approval' and idempotency_key is not null;
create index approvals_reference on approvals (agent_id, reference, payee, id)
  where status = 'pending_approval' and reference is not null;
