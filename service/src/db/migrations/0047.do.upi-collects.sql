-- Anybody can name somebody else's UPI id, so the requests to UPI apps are limited over all sessions, owners and nodes.

create table upi_collects (
  id uuid primary key,
  -- A keyed hash of the UPI id.
  upi_index bytea not null,
  owner_id uuid not null,
  funding_id uuid not null,
  sent_at timestamptz not null
);
create index upi_collects_upi on upi_collects (upi_index, sent_at);
create index upi_collects_owner on upi_collects (owner_id, sent_at);
create index upi_collects_sent on upi_collects (sent_at);
