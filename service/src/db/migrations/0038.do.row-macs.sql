-- MACs over the rows that decide who may move money and where it goes; the start of the service gives them to rows from before.
alter table platforms add column mac bytea, add column mac_version int4 not null default 0;
alter table owners add column mac bytea, add column mac_version int4 not null default 0;
alter table agents add column mac bytea, add column mac_version int4 not null default 0;
alter table owner_policies add column mac bytea, add column mac_version int4 not null default 0;
alter table tier_defaults add column mac bytea, add column mac_version int4 not null default 0;
alter table kyc_checks add column mac bytea, add column mac_version int4 not null default 0;
alter table sessions add column mac bytea, add column mac_version int4 not null default 0;

-- Which tables still have rows from before the MACs; null: not all of its rows have one. What an entry of the audit log
-- tells (data.rows.completed) holds, whatever is written here.
create table row_macs (
  table_name text primary key,
  completed_at timestamptz
);
insert into row_macs (table_name)
values ('platforms'), ('owners'), ('agents'), ('owner_policies'), ('tier_defaults'), ('kyc_checks'), ('sessions');

-- The newest audited version of a row, which an older row that was put back does not reach.
create index audit_entries_rows on audit_entries ((data::jsonb ->> 'row'), ((data::jsonb ->> 'row_version')::int4))
  where data like '%"row_version":%';

-- The same for rows that are written with money, where what became of them is in the book or the log.
alter table payouts add column mac bytea;
alter table escrows add column mac bytea;
alter table approvals add column mac bytea;
alter table fundings add column mac bytea;
alter table gateway_refunds add column mac bytea;
insert into row_macs (table_name)
values ('payouts'), ('escrows'), ('approvals'), ('fundings'), ('gateway_refunds');
