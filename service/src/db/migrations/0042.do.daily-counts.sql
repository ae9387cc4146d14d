-- How often something bounded was done on its last day: bank accounts submitted for an owner, messages that strangers sent to a phone.
create table daily_counts (
  subject text primary key,
  ist_day int4 not null,
  count int4 not null
);
