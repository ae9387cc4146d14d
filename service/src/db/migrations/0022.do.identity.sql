-- Certificates, and a seal on what everything signed says of an agent.

-- A MAC over what never changes of an agent (see modules/agents/agent-seal.ts): who can only write to the database
-- cannot have the service sign another handle or key. null: made before there were seals, and sealed at the next start.
alter table agents add column seal bytea;
create index agents_unsealed on agents (id) where seal is null;

-- The signature covers what a certificate says; the seal covers the row with its revocation (modules/certificates).
create table certificates (
  id uuid primary key,
  agent_id uuid not null,
  subject text not null,
  public_key text not null,
  capabilities text[] not null,
  tier text not null,
  issuer text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  key_id text not null,
  signature bytea not null,
  revoked_at timestamptz,
  revocation_reason text,
  seal bytea not null
);
create index certificates_agent on certificates (agent_id, id);
