-- What administrators see at a glance, kept so that nobody reads the whole history for it.

-- Payments by IST calendar day (days since 1970-01-01): all those whose id is below the cursor's folded_before.
create table payment_days (
  ist_day int4 primary key,
  count int8 not null,
  volume_paise int8 not null,
  fees_paise int8 not null
);

-- One row. What is below closing_before is folded next, once every transaction up to closing_xid has ended.
create table payment_days_cursor (
  only_row boolean primary key default true check (only_row),
  folded_before uuid not null,
  closing_before uuid not null,
  closing_xid xid8 not null
);
insert into payment_days_cursor (folded_before, closing_before, closing_xid)
values ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', '0');

-- One row: when the whole book was last checked and what came of it. The claim keeps the other nodes from it.
create table book_check (
  only_row boolean primary key default true check (only_row),
  claimed_at timestamptz,
  checked_at timestamptz,
  balanced boolean
);
insert into book_check (only_row) values (true);
