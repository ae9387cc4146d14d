-- A raised budget waits for the cooldown, also when its member leaves. The value null clears the budget.
alter table agents
  add column pending_budget_paise int8,
  add column pending_budget_effective_at timestamptz;
create index agents_pending_budget on agents (pending_budget_effective_at)
  where pending_budget_effective_at is not null;
