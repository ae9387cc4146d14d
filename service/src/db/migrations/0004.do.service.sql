-- What the service keeps for itself: answers to repeated requests, and the sandbox clock.
create table idempotent_requests (
  credential text not null,
  key text not null,
  fingerprint bytea not null,
  status int4,
  response text,
  locked_until timestamptz not null,
  created_at timestamptz not null,
  primary key (credential, key)
);
create index idempotent_requests_created on idempotent_requests (created_at);

-- One row: how far sandbox mode has moved the clock ahead. It survives a restart.
create table sandbox_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms int8 not null
);
