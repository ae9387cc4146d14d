-- When an agent was deactivated: its payment sessions end at that moment, and what was paid before still counts.
alter table agents add column deactivated_at timestamptz;
update agents set deactivated_at = now() where status = 'deactivated';
create index agents_deactivated on agents (deactivated_at) where deactivated_at is not null;
