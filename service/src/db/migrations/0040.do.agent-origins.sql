-- Where a payee sells: the web origins at which buyers may pay it. The MAC of its agent covers them, because buyers go by them.
create table agent_origins (
  agent_id uuid primary key,
  origins text[] not null
);
