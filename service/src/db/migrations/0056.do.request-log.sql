-- Developers see the requests of the last three days. They are deleted by truncating: each half day has a partition, which is used again four days later.

-- The half day, counted from 1970 in UTC, whose requests a partition has; -1: it is empty.
create table request_log_slots (
  slot int2 primary key,
  half_day int4 not null
);
insert into request_log_slots (slot, half_day) select slot, -1 from generate_series(0, 7) slot;

-- Finished requests of a platform's secret and its agents' keys. The id is the request's own, which has its time.
create table request_log (
  slot int2 not null,
  platform_id uuid not null,
  id uuid not null,
  method text not null,
  route text not null,
  status int2 not null,
  code text not null,
  duration_ms float4 not null,
  primary key (platform_id, id, slot)
) partition by list (slot);

-- How many there were in each minute since 1970, and how many of them are in the log, so that a page with a filter reads
-- only minutes that have such requests.
create table request_log_counts (
  slot int2 not null,
  platform_id uuid not null,
  minute int4 not null,
  route text not null,
  method text not null,
  status int2 not null,
  code text not null,
  requests int4 not null,
  listed int4 not null,
  primary key (platform_id, minute, route, method, status, code, slot)
) partition by list (slot);

create table request_log_0 partition of request_log for values in (0);
create table request_log_1 partition of request_log for values in (1);
create table request_log_2 partition of request_log for values in (2);
create table request_log_3 partition of request_log for values in (3);
create table request_log_4 partition of request_log for values in (4);
create table request_log_5 partition of request_log for values in (5);
create table request_log_6 partition of request_log for values in (6);
create table request_log_7 partition of request_log for values in (7);
create table request_log_counts_0 partition of request_log_counts for values in (0);
create table request_log_counts_1 partition of request_log_counts for values in (1);
create table request_log_counts_2 partition of request_log_counts for values in (2);
create table request_log_counts_3 partition of request_log_counts for values in (3);
create table request_log_counts_4 partition of request_log_counts for values in (4);
create table request_log_counts_5 partition of request_log_counts for values in (5);
create table request_log_counts_6 partition of request_log_counts for values in (6);
create table request_log_counts_7 partition of request_log_counts for values in (7);

-- A platform lists the escrows of all its agents with one status, and reads of a payment which approval allowed it.
create index escrows_status on escrows (agent_id, status, id);
create index approvals_made on approvals (payment_id) where payment_id is not null;

-- Developers see each attempt of a delivery: the last one in columns, so that a delivery that succeeds at once costs
-- nothing more, and those before it in an array, the oldest first. The signature has the real time, whatever the test clock says.
alter table webhook_deliveries
  add column attempted_at timestamptz,
  add column signed_at timestamptz,
  add column duration_ms int4,
  add column earlier_attempts jsonb;
