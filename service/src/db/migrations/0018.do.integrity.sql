-- The unending check of the book: where it stands, what it found, and sums that spare it the whole history.

-- One row. A node takes the next slice by a lease; whoever comes next goes on where that one came to.
drop table book_check;
create table book_check (
  only_row boolean primary key default true check (only_row),
  leased_by uuid,
  leased_until timestamptz,
  -- null: no round is under way.
  round_started_at timestamptz,
  -- The last account that this round is done with.
  done_through uuid not null default '00000000-0000-0000-0000-000000000000',
  -- What is known so far of an account with a very long history, which is proved in pieces.
  piece text,
  wallets_checked int8 not null default 0,
  -- The last whole round, and what the book's accounts came to at its end.
  last_started_at timestamptz,
  checked_at timestamptz,
  last_wallets int8 not null default 0,
  sums jsonb
);
insert into book_check (only_row) values (true);

-- What is or was wrong, with which account. It heals when a later round finds it right.
create table book_faults (
  subject uuid not null,
  kind text not null,
  detail text not null,
  found_at timestamptz not null,
  seen_at timestamptz not null,
  healed_at timestamptz,
  primary key (subject, kind)
);
create index book_faults_open on book_faults (subject) where healed_at is null;

-- How far each folding of transfers has come. What is below closing_before is folded next, once every transaction up to
-- closing_xid has ended.
create table fold_cursors (
  name text primary key,
  folded_before uuid not null,
  closing_before uuid not null,
  closing_xid xid8 not null
);
insert into fold_cursors (name, folded_before, closing_before, closing_xid)
select 'payment days', folded_before, closing_before, closing_xid from payment_days_cursor;
insert into fold_cursors (name, folded_before, closing_before, closing_xid)
values ('book sums', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', '0');
drop table payment_days_cursor;

-- What transfers of each kind came to between the system accounts and all wallets together, which are the zero uuid.
create table book_sums (
  kind text not null,
  debit_account uuid not null,
  credit_account uuid not null,
  count int8 not null,
  amount_paise int8 not null,
  fee_paise int8 not null,
  primary key (kind, debit_account, credit_account)
);

-- What counts against limits has an id of the moment at which it was posted. Others may be older by their ids than by
-- their moments, so these are folded by their moments. A payment is not in this index and pays nothing for it. With
-- coalesce no other statement about kinds of transfers can be planned with this index, which would be a scan of it.
create index transfers_posted on transfers (posted_at) where coalesce(kind not in ('payment', 'escrow_hold'), false);
