-- The layers of spend policy above an agent's own, changes that wait, and what makes counting recipients cheap.

-- Amounts in paise. A change here has to be announced to every account of the tier (agent_version), in
-- batches; announced_through is how far that has come, null when all of them know.
create table tier_defaults (
  tier text primary key check (tier in ('sandbox', 'tier1', 'tier2', 'tier3')),
  per_tx_paise int8 not null,
  daily_paise int8 not null,
  monthly_paise int8 not null,
  escrow_above_paise int8 not null,
  approval_above_paise int8 not null,
  announced_through uuid
);
insert into tier_defaults (tier, per_tx_paise, daily_paise, monthly_paise, escrow_above_paise, approval_above_paise)
values ('sandbox', 100000, 1000000, 10000000, 50000, 500000),
  ('tier1', 500000, 5000000, 50000000, 250000, 2500000),
  ('tier2', 2500000, 25000000, 250000000, 1000000, 10000000),
  ('tier3', 10000000, 100000000, 1000000000, 5000000, 50000000);

-- What an owner sets for each of the own agents. Whoever changes it locks the owner and all their accounts.
create table owner_policies (
  owner_id uuid primary key,
  spend_limit_per_tx_paise int8,
  spend_limit_hourly_paise int8,
  spend_limit_daily_paise int8,
  spend_limit_monthly_paise int8,
  per_counterparty_daily_limit_paise int8,
  max_counterparties_per_hour int4,
  require_escrow_above_paise int8,
  require_human_approval_above_paise int8,
  allowed_payees text[] not null default '{network}',
  blocked_payee_agents uuid[] not null default '{}'
);

-- What loosens a policy waits here. The value is as a caller wrote it: applying it is the same change again.
create table pending_policy_changes (
  subject uuid not null,
  subject_kind text not null check (subject_kind in ('agent', 'owner')),
  control text not null,
  value jsonb not null,
  effective_at timestamptz not null,
  primary key (subject, control)
);
create index pending_policy_changes_due on pending_policy_changes (effective_at);

-- What the agent's organization lets it spend in a calendar month; null: it is in none, or without a budget.
alter table agents add column budget_limit_paise int8;

-- Counterparties are counted only when a bound on them does not suffice: the windows hold what the payer's
-- transfers up to counted_through came to (their sequence and moment), and what came later is read when it
-- is needed. Nobody knows the bound of payments made before it existed; it passes with their hour.
alter table accounts drop column counterparties_since_ms;
alter table accounts add column counted_through_ms int8 not null default 0;
alter table accounts add column counted_through_sequence int8 not null default 0;
alter table accounts add column hour_recipients_bound int4 not null default 2000000;
alter table accounts alter column hour_recipients_bound set default 0;
drop table counterparty_windows;
create table counterparty_windows (
  payer uuid not null,
  payee uuid not null,
  ist_day int4 not null,
  ist_day_spent_paise int8 not null,
  last_paid_at timestamptz not null,
  primary key (payer, payee)
);
create index counterparty_windows_recent on counterparty_windows (payer, last_paid_at);
