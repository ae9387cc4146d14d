-- Who is on the network: platforms, the humans they verified, and those humans' agents.
-- Platforms and owners are small tables that a distributed database copies to every node.
create table platforms (
  id uuid primary key,
  name text not null,
  email bytea,
  webhook_url text,
  webhook_secret bytea not null,
  previous_webhook_secret bytea,
  previous_webhook_secret_until timestamptz,
  secret_hash bytea not null,
  status text not null default 'active' check (status in ('active', 'deleted')),
  created_at timestamptz not null
);

create table owners (
  id uuid primary key,
  platform_id uuid not null,
  name text not null,
  phone bytea not null,
  phone_index bytea not null,
  email bytea,
  pan bytea not null,
  pan_index bytea not null,
  kyc_status text not null default 'none' check (kyc_status in ('none', 'pending', 'verified', 'failed')),
  tier text not null default 'sandbox' check (tier in ('sandbox', 'tier1', 'tier2', 'tier3')),
  status text not null default 'active' check (status in ('active', 'frozen')),
  bank_account bytea,
  bank_account_last4 text,
  bank_ifsc text,
  name_at_bank text,
  name_match_score int,
  kyc_reason text,
  created_at timestamptz not null
);
create unique index owners_platform_phone on owners (platform_id, phone_index);
create unique index owners_platform_pan on owners (platform_id, pan_index);
create index owners_phone on owners (phone_index);
create index owners_platform_created on owners (platform_id, id);

-- An agent's id is also the id of its wallet's account, so both live on one shard. Whoever changes a row
-- here that decides about payments (status, key, policy) locks that account first: the posting engine
-- reads this row only while it holds that lock, so a change is effective for the very next payment.
create table agents (
  id uuid primary key,
  platform_id uuid not null,
  owner_id uuid not null,
  handle text not null,
  name text not null,
  status text not null default 'active'
    check (status in ('active', 'paused', 'quarantined', 'frozen', 'deactivated')),
  tier text not null default 'sandbox' check (tier in ('sandbox', 'tier1', 'tier2', 'tier3')),
  key_hash bytea not null,
  key_last4 text not null,
  public_key text not null,
  private_key bytea,
  spend_limit_per_tx_paise int8,
  spend_limit_hourly_paise int8,
  spend_limit_daily_paise int8,
  spend_limit_monthly_paise int8,
  per_counterparty_daily_limit_paise int8,
  max_counterparties_per_hour int4,
  require_escrow_above_paise int8,
  require_human_approval_above_paise int8,
  allowed_payees text[] not null default '{network}',
  blocked_payee_agents uuid[] not null default '{}',
  created_at timestamptz not null
);
create index agents_platform on agents (platform_id, id);
create index agents_owner on agents (owner_id, id);
create index agents_key on agents (key_hash);

-- The network's names. A handle is never given twice, whatever becomes of its agent.
create table handles (
  handle text primary key,
  agent_id uuid not null
);
