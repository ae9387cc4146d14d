-- The audit log: acts, the queue in which their hashes wait, and the Merkle tree that they become leaves of.

-- Every act but a payment, written in its commit; a payment is its transfer. Nothing here is ever changed: the leaf is
-- the hash of all these columns. The id tells when it was done.
create table audit_entries (
  id uuid primary key,
  agent_id uuid,
  actor_type text not null,
  actor_id text not null,
  action text not null,
  target text not null,
  -- RFC 8785 canonical JSON as text: jsonb would let a number be written in another way unseen.
  data text not null,
  created_at timestamptz not null
);
create index audit_entries_agent on audit_entries (agent_id, id) where agent_id is not null;
create index audit_entries_agent_action on audit_entries (agent_id, action, id) where agent_id is not null;

-- Leaves of one commit that wait for their places: ids, their 32-byte hashes in the same order, and a MAC over both.
-- One row a commit, however many payments it makes; whoever integrates it deletes it.
create table audit_queue (
  id uuid primary key,
  ids uuid[] not null,
  hashes bytea not null,
  seal bytea not null
) with (toast_tuple_target = 8160);
-- Neither random ids nor hashes can be compressed, and the row of a usual commit fits into a page as it is.
alter table audit_queue alter column ids set storage external, alter column hashes set storage external;

-- Rows of the queue that the service did not write as they were found, or that are in the tree already: put aside, so
-- that nothing waits behind them, and kept, because somebody has written to this database by hand.
create table audit_refused (
  id uuid not null,
  ids uuid[],
  hashes bytea,
  seal bytea,
  refused_at timestamptz not null
);

-- The tree, RFC 6962, in tiles of 256 hashes. Level 0 has the leaves and the ids of their entries; a hash of level n+1
-- is the root of a full tile of level n. Only the last tile of a level is not full, and full ones never change.
create table audit_tiles (
  level int2 not null,
  tile int8 not null,
  hashes bytea not null,
  ids uuid[],
  -- The smallest and the largest of the ids, which are times: so an entry's tile is found without an index of its own.
  min_id uuid,
  max_id uuid,
  primary key (level, tile)
);
-- Hashes cannot be compressed.
alter table audit_tiles alter column hashes set storage external;
create index audit_tiles_ids on audit_tiles (max_id, min_id, tile) where level = 0;

-- One row: how many leaves are in the tree, and its head as it was signed. Whoever holds its lock integrates.
create table audit_tree (
  only_row boolean primary key default true check (only_row),
  size int8 not null,
  checkpoint text not null,
  signed_at timestamptz not null
);

-- What an account is debited by other than a payment: so the payments of a trail are counted and skipped by index alone.
-- A payment is not in it and pays nothing for it. With coalesce nobody else's statement can be planned with it.
create index transfers_no_payments on transfers (debit_account, id) where coalesce(kind <> 'payment', false);

-- The unending check of the log: one row. A node takes the next slice by a lease, and goes on where the last one came to.
create table audit_check (
  only_row boolean primary key default true check (only_row),
  leased_by uuid,
  leased_until timestamptz,
  round int8 not null default 0,
  -- null: no round is under way.
  round_started_at timestamptz,
  -- What the round is going through: the tiles by their numbers, or the entries or the payments by their ids.
  phase text not null default 'tiles' check (phase in ('tiles', 'entries', 'payments')),
  next_tile int8 not null default 0,
  -- How many tiles there were when the round began: what came since is for the next one.
  tiles_end int8,
  done_through uuid not null default '00000000-0000-0000-0000-000000000000',
  last_started_at timestamptz,
  checked_at timestamptz,
  -- Payments up to this one were made before there was a log, and are not in it.
  begins_after uuid not null
);
insert into audit_check (begins_after)
select coalesce((select id from transfers order by id desc limit 1), '00000000-0000-0000-0000-000000000000');

-- What is or was wrong with the log: an entry, a payment, a tile or a row of the queue. It heals when a whole round has
-- not found it again.
create table audit_faults (
  subject text not null,
  kind text not null,
  detail text not null,
  found_at timestamptz not null,
  seen_round int8 not null,
  healed_at timestamptz,
  primary key (subject, kind)
);
create index audit_faults_open on audit_faults (subject) where healed_at is null;
