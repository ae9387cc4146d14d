-- Which mode and which master key a database belongs to, so that it is never opened in the other mode or with another key.
create table database_mark (
  only_row boolean primary key default true check (only_row),
  mode text not null,
  -- A keyed digest of a constant: it tells whether a master key is the right one, and nothing about the key.
  key_check bytea not null,
  row_mac bytea not null,
  marked_at timestamptz not null
);
