-- Owners are notified of what happens to their agents: by Web Push in their browsers, and by messages.

-- The key that push services know this service by (VAPID), the same on all nodes. The first start makes it.
create table push_keys (
  id int2 primary key check (id = 1),
  public_key text not null,
  private_key bytea not null,
  created_at timestamptz not null
);

-- What a person wants to be told, by the digest of the phone. Without a row: nothing.
create table notification_settings (
  phone_index bytea primary key,
  -- Encrypted, for messages.
  phone bytea not null,
  language text not null,
  push_kinds text[] not null,
  message_kinds text[] not null
);

-- The browsers that a person is notified in. Endpoints and keys are encrypted, because whoever has them can send.
create table push_subscriptions (
  id uuid primary key,
  phone_index bytea not null,
  -- A browser has one endpoint, whoever is logged in.
  endpoint_index bytea not null unique,
  target bytea not null,
  -- The session in which the browser was logged in last; whoever ends that session ends this too.
  session_id uuid not null,
  -- Encrypted; only shown.
  agent_hint bytea not null,
  created_at timestamptz not null,
  last_notified_at timestamptz,
  -- How many attempts have failed since the last that succeeded, and until when no other is made.
  failures int4 not null default 0,
  paused_until timestamptz
);
create index push_subscriptions_phone on push_subscriptions (phone_index, id);
create index push_subscriptions_session on push_subscriptions (session_id);

-- What is still to be told. A row is claimed before it is sent, and a claimed row is never due again.
create table notifications (
  id uuid primary key,
  phone_index bytea not null,
  -- null: a message.
  subscription_id uuid,
  kind text not null,
  event_ids uuid[] not null,
  -- null: it was claimed.
  due_at timestamptz,
  expires_at timestamptz not null,
  attempts int4 not null default 0
);
create index notifications_due on notifications (due_at) where due_at is not null;
create index notifications_expiry on notifications (expires_at);
create index notifications_subscription on notifications (subscription_id) where subscription_id is not null;

-- Events that are still to be told to owners, as the flag `queued` of events is of platforms. A table of its own, so that
-- neither fan-out passes over a row that the other has locked.
create table owner_events (
  id uuid primary key
);
