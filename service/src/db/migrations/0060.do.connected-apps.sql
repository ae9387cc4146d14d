-- Assistants that owners connect to their agents, and what the OAuth server keeps for them.

-- An app that acts for an agent. Written only under the lock of the agent's account: what it has spent is counted in the
-- commit of each payment.
create table connected_apps (
  agent_id uuid not null,
  id uuid not null,
  client_id text not null,
  name text not null,
  scopes text not null,
  per_tx_paise int8 not null check (per_tx_paise >= 0),
  daily_paise int8 not null check (daily_paise >= 0),
  -- A keyed hash of the grant that its codes and tokens belong to.
  grant_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- What it spent on one calendar day in IST.
  spent_day int4 not null,
  spent_paise int8 not null check (spent_paise >= 0),
  -- How often it has spent; the log has each.
  uses int4 not null,
  ended_at timestamptz,
  -- When the client first exchanged the code; null: it never did.
  redeemed_at timestamptz,
  last_used_at timestamptz,
  mac bytea,
  primary key (agent_id, id)
);
insert into row_macs (table_name) values ('connected_apps');
create index connected_apps_id on connected_apps (id);
create index connected_apps_open on connected_apps (agent_id, id) where ended_at is null;
create index connected_apps_unredeemed on connected_apps (created_at, id) where redeemed_at is null and ended_at is null;

-- What the OAuth server keeps: clients, requests, codes and tokens. Ids are keyed hashes and payloads are encrypted, so
-- that this table lets nobody act.
create table oauth_records (
  kind text not null,
  id bytea not null,
  grant_hash bytea,
  -- A second id, of sessions.
  uid bytea,
  -- Of a client that registered itself: a keyed hash of the network that it came from.
  network bytea,
  payload bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (kind, id)
);
create index oauth_records_expiry on oauth_records (expires_at);
create index oauth_records_grant on oauth_records (grant_hash) where grant_hash is not null;
create index oauth_records_uid on oauth_records (uid) where uid is not null;
create index oauth_records_network on oauth_records (network, created_at) where network is not null;

-- The name of an app that acts.
alter table audit_entries add column actor_name text;
create index audit_entries_apps on audit_entries (target, id) where action in ('app.spent', 'app.ended');

-- The app that set the money aside: what comes back leaves what it has spent.
alter table escrows add column app_id uuid;
alter table authorizations add column app_id uuid;
