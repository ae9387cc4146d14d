-- Webhooks: events and whose they are, how far they have been dealt out to platforms, and what became of each delivery.

-- An event belongs to one platform, which is found when it is recorded. `queued` until it was dealt out. `sequence` is how
-- many movements the agent's wallet had had then. The seal covers what it says (modules/events): a row that somebody else
-- wrote is never sent. Events from before there were webhooks have no platform and are sent to nobody.
alter table events
  add column platform_id uuid,
  add column sequence int8,
  add column seal bytea,
  add column queued boolean not null default false;
alter table events drop constraint events_check;
create index events_queued on events (id) where queued;

-- Payments of one commit whose two events each are still to be dealt out: a payment's events are made of its transfer when
-- they are sent, so it pays for nothing but its share of this row. The event sent has the payment's uuid, the one received
-- the same with its last bit set. The row's id is the first payment's. The platforms of both sides are named by their
-- places in the array, from 0.
create table payment_events (
  id uuid primary key,
  payments uuid[] not null,
  platforms uuid[] not null,
  payer_platforms int2[] not null,
  payee_platforms int2[] not null
) with (toast_tuple_target = 8160);
alter table payment_events alter column payments set storage external;

-- Events of payments that wait for their platform's receiver, oldest first: 16 bytes each until they are tried.
create table webhook_backlog (
  platform_id uuid not null,
  -- The first event's.
  id uuid not null,
  event_ids uuid[] not null,
  primary key (platform_id, id)
) with (toast_tuple_target = 8160);
alter table webhook_backlog alter column event_ids set storage external;

-- One row for each platform that was ever told something. The node with the lease delivers for it, and it alone.
create table webhook_endpoints (
  platform_id uuid primary key,
  -- When there is something to do next; null: nothing.
  work_at timestamptz,
  -- The receiver asked for a rest until then.
  paused_until timestamptz,
  -- Since when no attempt has succeeded; null: the last one has.
  failing_since timestamptz,
  leased_by uuid,
  leased_until timestamptz
);
create index webhook_endpoints_work on webhook_endpoints (work_at) where work_at is not null;

-- What became of an event, whose uuid it shares, so that none is delivered twice under two names. The event of a payment
-- has no row before its first attempt has ended.
create table webhook_deliveries (
  platform_id uuid not null,
  id uuid not null,
  event text not null,
  url text,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int4 not null default 0,
  response_status int4,
  last_error text,
  -- null unless it is pending.
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  primary key (platform_id, id)
);
create index webhook_deliveries_due on webhook_deliveries (platform_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_event on webhook_deliveries (platform_id, event, id);
create index webhook_deliveries_undelivered on webhook_deliveries (platform_id, status, id) where status <> 'delivered';

alter table platforms add column webhook_disabled_at timestamptz;

-- Webhook secrets that were replaced, and until when each signs beside the one in use: a second rotation within a day
-- must not cut off receivers that still know the first.
create table previous_webhook_secrets (
  platform_id uuid not null,
  id uuid not null,
  secret bytea not null,
  signs_until timestamptz not null,
  primary key (platform_id, id)
);
insert into previous_webhook_secrets (platform_id, id, secret, signs_until)
  select id, id, previous_webhook_secret, previous_webhook_secret_until from platforms
  where previous_webhook_secret is not null and previous_webhook_secret_until is not null;
alter table platforms drop column previous_webhook_secret, drop column previous_webhook_secret_until;
