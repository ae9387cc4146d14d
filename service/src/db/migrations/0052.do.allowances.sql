-- Payments to one payee that the owner approved beforehand. Written only under the lock of the agent's account.
create table allowances (
  agent_id uuid not null,
  id uuid not null,
  payee uuid not null,
  amount_paise int8 not null check (amount_paise > 0),
  -- The approval that it was given with; null: by itself.
  approval_id uuid,
  created_at timestamptz not null,
  -- The end; earlier than it was given for if the owner ended it.
  until_at timestamptz not null,
  used_paise int8 not null check (used_paise between 0 and amount_paise),
  uses int4 not null,
  is_ended boolean not null,
  mac bytea,
  primary key (agent_id, id)
);
insert into row_macs (table_name) values ('allowances');
create index allowances_id on allowances (id);
create index allowances_open on allowances (agent_id, until_at) where not is_ended;

-- How often it was used, and whether it ended, is asked of the log, so an old row that was put back allows nothing more.
create index audit_entries_allowances on audit_entries (target) where action in ('allowance.used', 'allowance.ended');
