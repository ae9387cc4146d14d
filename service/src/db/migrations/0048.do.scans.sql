-- The ledger check, the audit log check, settlement and reconciliation have their leases, cursors and findings in one place.

-- Where each scan is. A node takes the next slice by a lease; the slice commits the cursor behind it and releases the lease.
create table scans (
  name text primary key,
  leased_by uuid,
  leased_until timestamptz,
  -- Rounds are counted; the latest one began at started_at.
  round int8 not null default 0,
  started_at timestamptz,
  is_running boolean not null default false,
  -- Where the next slice of the round begins; null: at the beginning.
  cursor jsonb,
  -- The end of the last complete round, and what it came to.
  finished_at timestamptz,
  result jsonb
);

-- What the rounds of a scan found. A finding heals when a whole round has not found it again.
create table scan_findings (
  scan text not null,
  subject text not null,
  kind text not null,
  detail text not null,
  found_at timestamptz not null,
  seen_round int8 not null,
  healed_at timestamptz,
  primary key (scan, subject, kind)
);
create index scan_findings_open on scan_findings (scan, subject) where healed_at is null;

-- A round of a check that is under way begins again; the sums of the ledger are there again when it ends.
insert into scans (name, started_at, finished_at) select 'ledger check', last_started_at, checked_at from book_check;
insert into scans (name, started_at, finished_at, round)
select 'audit log check', last_started_at, checked_at, round from audit_check;
insert into scan_findings (scan, subject, kind, detail, found_at, seen_round, healed_at)
select 'ledger check', subject, kind, detail, found_at, 0, healed_at from book_faults
union all
select 'audit log check', subject, kind, detail, found_at, seen_round, healed_at from audit_faults;
drop table book_check, book_faults, audit_faults;

-- Payments up to this one were made before there was a log, and are not in it.
alter table audit_check rename to audit_beginning;
alter table audit_beginning drop column leased_by, drop column leased_until, drop column round,
  drop column round_started_at, drop column phase, drop column next_tile, drop column tiles_end,
  drop column done_through, drop column last_started_at, drop column checked_at;

-- A run of settlement that is under way goes on where it is.
insert into scans (name, started_at, finished_at, is_running, cursor)
select 'settlement', r.started_at, (select max(finished_at) from settlement_runs), r.finished_at is null and r.day is not null,
  case when r.finished_at is null and r.done_through is not null then
    jsonb_build_object('day', r.day, 'after', r.done_through, 'skipped', r.skipped) end
from (select 1) one left join (select * from settlement_runs order by day desc limit 1) r on true;
alter table settlement_runs drop column done_through, drop column leased_by, drop column leased_until;

-- A reconciliation that is under way begins again: it only compares. A row is a complete one.
delete from reconciliation_settlements;
delete from reconciliation_runs where finished_at is null;
insert into scans (name, started_at, finished_at)
select 'reconciliation', max(started_at), max(finished_at) from reconciliation_runs where day is not null;
drop index reconciliation_runs_open;
alter table reconciliation_runs drop column phase, drop column position, drop column holder,
  drop column leased_until, alter column finished_at set not null;
