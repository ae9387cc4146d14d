-- The ledger check also goes through the rows that have MACs, so that one that nobody uses is found.

-- Behind which row a round is, once it is done with the accounts; null: it is not.
alter table book_check add column rows_table text, add column rows_after text;

-- A row is named by its table and its id.
alter table book_faults alter column subject type text using subject::text;
