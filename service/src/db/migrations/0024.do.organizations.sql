-- Organizations: agents of one owner with a treasury. A member's budget is in agents.budget_limit_paise, where the policy
-- engine reads it.
create table organizations (
  id uuid primary key,
  owner_id uuid not null,
  platform_id uuid not null,
  name text not null,
  tier text not null check (tier in ('tier1', 'tier2', 'tier3')),
  created_at timestamptz not null
);
create index organizations_owner on organizations (owner_id, id);
create index organizations_platform on organizations (platform_id, id);

-- An agent is in one organization at a time. A row changes only under the lock of the agent's account.
create table org_members (
  agent_id uuid primary key,
  org_id uuid not null,
  role text not null check (role in ('treasury', 'admin', 'worker')),
  joined_at timestamptz not null
);
create index org_members_org on org_members (org_id);
create unique index org_members_treasury on org_members (org_id) where role = 'treasury';

-- An allocation is linked to its organization, so that the key it was asked for with is found whoever is the treasury.
-- The condition is repeated word for word in modules/organizations/allocation-store.ts; a payment is not in this index.
create index transfers_allocations on transfers (linked_id, idempotency_key) where coalesce(kind = 'allocation', false);
