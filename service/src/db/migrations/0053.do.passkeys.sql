-- Keys on the devices of owners and administrators. A person is a phone and an audience, as for sessions.
create table passkeys (
  id uuid primary key,
  audience text not null check (audience in ('owner', 'admin')),
  phone bytea not null,
  phone_index bytea not null,
  name text not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  transports text[] not null,
  sign_count int8 not null,
  created_at timestamptz not null,
  -- Later than created_at while an enrolment waits for the cooldown.
  effective_at timestamptz not null,
  removed_at timestamptz,
  last_used_at timestamptz,
  mac bytea,
  mac_version int4 not null default 0
);
insert into row_macs (table_name) values ('passkeys');
create index passkeys_person on passkeys (phone_index, audience);

-- Each challenge is good once. The id of a challenge says until when it could be used.
create table used_challenges (
  salt bytea primary key,
  expires_at timestamptz not null
);
create index used_challenges_expiry on used_challenges (expires_at);

-- How many passkeys a person has enrolled is asked of the log, so that a deleted row does not end the need for one.
create index audit_entries_passkeys on audit_entries ((data::jsonb ->> 'holder')) where action = 'passkey.enrolled';
