-- Agents of an owner and of a platform are capped, and changes of an owner's policy are announced in batches.

-- How many agents of a platform have not ended. Creations and endings change it in the last statement of their
-- transaction, so that they wait for one another only while one commits.
create table platform_agent_counts (
  platform_id uuid primary key,
  living bigint not null
) with (fillfactor = 50);
insert into platform_agent_counts (platform_id, living)
  select platform_id, count(*) from agents where status <> 'deactivated' group by platform_id;

-- For counting those of an owner, and for going through them in the order of their ids.
create index agents_living_of_owner on agents (owner_id, id) where status <> 'deactivated';

-- Through which of the owner's agents the present policy was announced, in the order of their ids; null: to all.
alter table owner_policies add column announced_through uuid;
create index owner_policies_unannounced on owner_policies (owner_id) where announced_through is not null;
