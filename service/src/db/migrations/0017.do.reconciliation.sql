-- What comparing the book with the gateway found, and how far each comparison has come.

-- One run for each IST day (`day`), and one for each that a person asked for (null). The node with the lease does one
-- step: it reads a page behind `position` of a phase, asks, and commits what it found with the new position.
create table reconciliation_runs (
  id uuid primary key,
  day int4 unique,
  from_at timestamptz not null,
  to_at timestamptz not null,
  phase text not null,
  position text,
  holder uuid,
  leased_until timestamptz,
  -- Counts and sums of both sides by kind; sums are paise in decimal digits.
  totals jsonb not null,
  -- Whether the gateway's own records were all read.
  listed boolean not null default true,
  started_at timestamptz not null,
  finished_at timestamptz
);
create index reconciliation_runs_open on reconciliation_runs (id) where finished_at is null and day is not null;

-- A difference stays open until a comparison finds it gone. `about` says what the subject is and so how it is looked at
-- again; `item` tells several of one kind on one subject apart.
create table reconciliation_differences (
  id uuid primary key,
  kind text not null,
  about text not null,
  gateway text not null,
  subject text not null,
  item text not null,
  agent_id uuid,
  ours text,
  theirs text,
  amount_paise int8 not null,
  -- When its subject began, or moved at the gateway.
  happened_at timestamptz not null,
  found_at timestamptz not null,
  last_seen_at timestamptz not null,
  seen_by uuid not null,
  closed_at timestamptz
);
create unique index reconciliation_differences_open on reconciliation_differences (subject, kind, item)
  where closed_at is null;
create index reconciliation_differences_open_ids on reconciliation_differences (id) where closed_at is null;

-- What a run has read of each settlement so far: its own record, and the sum of the movements that it carries.
create table reconciliation_settlements (
  run_id uuid not null,
  gateway text not null,
  id text not null,
  settled_at timestamptz,
  settled_paise int8 not null,
  charges_paise int8 not null,
  parts int4 not null,
  parts_paise int8 not null,
  primary key (run_id, gateway, id)
);

create index gateway_refunds_order on gateway_refunds (order_id);
