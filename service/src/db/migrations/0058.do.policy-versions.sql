-- Which policy decided about an agent at which moment, so that it can be asked of any payment and any time.

-- What one layer sets, once for all agents and times; the digest is a MAC over it.
create table policy_layers (
  digest bytea primary key,
  content text not null
);

-- Every change of an agent's effective policy, written in the commit that makes it apply to the agent's payments. An id
-- begins with the milliseconds from which on it decides, then counts the changes of the agent in that millisecond.
create table policy_versions (
  agent_id uuid not null,
  id uuid not null,
  version bytea not null,
  tier_layer bytea not null,
  owner_layer bytea,
  org_layer bytea,
  agent_layer bytea,
  actor_type text not null,
  actor_id text not null,
  mac bytea,
  primary key (agent_id, id)
);
insert into row_macs (table_name) values ('policy_versions');

-- No payment of the wallet is posted at a time before its newest version, also by a node whose clock is slow.
alter table accounts add column policy_since_ms int8;

-- The history before this release is read from the log.
create index audit_entries_policies on audit_entries (target, id)
  where action in ('owner.policy_changed', 'owner.policy_change_applied', 'owner.policy_change_cancelled', 'tier.changed');
