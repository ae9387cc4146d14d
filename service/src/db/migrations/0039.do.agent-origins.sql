-- Where a payee sells: the web origins at which buyers may pay it. The MAC covers the whole row, because buyers go by it.
create table agent_origins (
  agent_id uuid primary key,
  origins text[] not null,
  changed_at timestamptz not null,
  mac bytea not null
);
