-- A stronger stop covers a weaker one and remembers it, so that lifting the stronger brings the weaker back.
alter table agents add column was_paused boolean not null default false;
alter table agents add column was_quarantined boolean not null default false;
