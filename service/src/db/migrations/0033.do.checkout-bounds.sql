-- Whoever knows a session's address may use its checkout page, so what that page asks of the gateway is bounded for all nodes together.
alter table fundings
  add column collects smallint not null default 0,
  add column page_asked_at timestamptz;
