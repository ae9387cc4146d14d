-- A default certificate is renewed when the tier or name of its agent changes.

-- null: issued before this was kept; then the agent's oldest certificate is the default one. The seal covers the rest.
alter table certificates add column is_default boolean;

-- Whose default certificate has to be compared with the agent: written in the commit of the change, so none is forgotten.
create table certificate_renewals (
  agent_id uuid primary key,
  requested_at timestamptz not null
);
create index certificate_renewals_requested on certificate_renewals (requested_at);

-- Agents whose tier or name changed before there were renewals.
insert into certificate_renewals (agent_id, requested_at)
select a.id, now() from agents a cross join lateral (
  select c.subject, c.tier, c.revoked_at from certificates c where c.agent_id = a.id order by c.id limit 1) oldest
where a.status <> 'deactivated' and oldest.revoked_at is null and (oldest.subject <> a.name or oldest.tier <> a.tier);
