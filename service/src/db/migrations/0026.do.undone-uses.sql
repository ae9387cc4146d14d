-- A nonce that was made good again keeps its row, without a time of use, and the names of the uses that were undone: a
-- verification that was late on its way must not take one of these again. The latest names are kept.
alter table consumed_nonces
  alter column consumed_at drop not null,
  add column undone_consume_ids text[] not null default '{}';
