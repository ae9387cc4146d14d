-- Risk rules and what they work with, off the payment path: alerts, signals that leave no transfer, who was paid before.

-- One row tunes one rule, at its next run, on every node. Amounts in paise. A row that makes no sense switches its
-- own rule off and is named in the log; thresholds are checked when they are read, against modules/risk/rules.ts.
create table risk_rules (
  rule text primary key,
  enabled boolean not null default true,
  severity text not null check (severity in ('low', 'medium', 'high')),
  score int4 not null check (score between 0 and 100),
  thresholds jsonb not null,
  description text not null
);
insert into risk_rules (rule, severity, score, thresholds, description)
values
  ('velocity_spike', 'medium', 30,
    '{"min_payments": 20, "factor": 5, "window_minutes": 10, "baseline_hours": 24}',
    'An agent pays far more often than it did in the hours before.'),
  ('structuring', 'high', 40,
    '{"min_payments": 5, "band_percent": 10, "window_minutes": 1440}',
    'Payments keep just under, or exactly at, one threshold above which somebody would ask or refuse.'),
  ('circular_flow', 'high', 50,
    '{"max_agents": 4, "min_amount_paise": 50000, "leg_percent": 80, "window_minutes": 60}',
    'Money goes round through a few agents and comes back to where it began.'),
  ('new_payees', 'medium', 20,
    '{"min_payees": 10, "window_minutes": 60}',
    'An agent suddenly pays many agents that it never paid before.'),
  ('repeated_refusals', 'medium', 20,
    '{"min_refusals": 10, "window_minutes": 10}',
    'The policy refuses one payment of an agent after the other, as when somebody feels for its limits.'),
  ('failed_authentication', 'high', 50,
    '{"min_failures": 20, "window_minutes": 10}',
    'Wrong secrets are tried for a platform that exists.'),
  ('pass_through', 'high', 40,
    '{"min_times": 3, "min_amount_paise": 100000, "out_percent": 90, "out_minutes": 10, "window_minutes": 1440}',
    'Money comes in and goes out again within minutes, time after time.');

-- An alert is on an agent or, with agent_id null, on a platform; subject_id is that agent's or platform's id.
create table risk_alerts (
  id uuid primary key,
  subject_id uuid not null,
  agent_id uuid,
  platform_id uuid not null,
  rule text not null,
  severity text not null,
  score int4 not null,
  evidence jsonb not null,
  status text not null default 'open' check (status in ('open', 'dismissed', 'confirmed')),
  note text,
  created_at timestamptz not null,
  reviewed_at timestamptz
);
-- A finding that is still open is not opened again, however many nodes look for it at once.
create unique index risk_alerts_open on risk_alerts (subject_id, rule) where status = 'open';
create index risk_alerts_subject on risk_alerts (subject_id, id);
create index risk_alerts_status on risk_alerts (status, id);

-- How far the rules have read the book. One row; whoever holds its lock evaluates.
create table risk_cursor (
  name text primary key,
  position uuid not null
);
insert into risk_cursor (name, position)
values ('transfers',
  coalesce((select id from transfers order by id desc limit 1), '00000000-0000-0000-0000-000000000000'));

-- The first payment of each payer to each payee: whether a payee is new is asked without the payer's whole history.
create table risk_first_payments (
  payer uuid not null,
  payee uuid not null,
  first_id uuid not null,
  primary key (payer, payee)
);
create index risk_first_payments_recent on risk_first_payments (payer, first_id);
insert into risk_first_payments (payer, payee, first_id)
select distinct on (debit_account, credit_account) debit_account, credit_account, id
from transfers where kind = 'payment' order by debit_account, credit_account, id;

-- What happens off the book, counted by the minute: refusals by policy, wrong secrets. A day old, it goes.
create table risk_signals (
  subject uuid not null,
  kind text not null,
  minute timestamptz not null,
  count int4 not null,
  primary key (subject, kind, minute)
);
create index risk_signals_minute on risk_signals (minute);
