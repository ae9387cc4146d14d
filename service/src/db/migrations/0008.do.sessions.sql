-- Login of owners and administrators: one-time codes, and the sessions that they open.

-- The last code that a client address had sent to a phone, whether the phone is known here or not, so that nobody
-- can tell the two apart. A stranger's address has a row of its own, and so neither brakes the holder nor burns the
-- holder's tries. A try is used up in the same statement that reads the hash: parallel guesses share the five tries.
-- `sent_at` has the moments of the last codes, oldest first, and is cut back by a login; it is the brake on sending.
create table login_codes (
  audience text not null check (audience in ('owner', 'admin')),
  phone_index bytea not null,
  address_index bytea not null,
  code_hash bytea,
  tries_left int4 not null,
  expires_at timestamptz not null,
  sent_at timestamptz[] not null,
  primary key (audience, phone_index, address_index)
);
create index login_codes_expires on login_codes (expires_at);

-- When codes were sent to a phone from whichever addresses, oldest first, emptied by a login: the ceiling over all of
-- them. Whoever changes codes of a phone locks its row here first.
create table login_phones (
  audience text not null check (audience in ('owner', 'admin')),
  phone_index bytea not null,
  sent_at timestamptz[] not null,
  last_sent_at timestamptz not null,
  primary key (audience, phone_index)
);
create index login_phones_last_sent on login_phones (last_sent_at);

-- A session is found by the hash of its token, which only the browser has. Whose it is, is asked again with each
-- request: an owner's by the phone's digest, an administrator's by the phone itself.
create table sessions (
  token_hash bytea primary key,
  id uuid not null,
  audience text not null check (audience in ('owner', 'admin')),
  phone bytea not null,
  phone_index bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index sessions_id on sessions (id);
create index sessions_expires on sessions (expires_at);

-- The sandbox's telephones: the last code that reached each. Nothing but the sandbox reads it.
create table sandbox_otps (
  phone_index bytea primary key,
  code bytea not null,
  sent_at timestamptz not null
);
