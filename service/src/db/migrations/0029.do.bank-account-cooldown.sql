-- A changed bank account waits for the cooldown, and its owner is told by text message.

-- The verified account that takes the place of the one in force at this moment; all null when none waits.
alter table owners
  add column pending_bank_account bytea,
  add column pending_bank_account_last4 text,
  add column pending_bank_ifsc text,
  add column pending_name_at_bank text,
  add column pending_name_match_score int,
  add column pending_bank_effective_at timestamptz;
create index owners_pending_bank_account on owners (pending_bank_effective_at)
  where pending_bank_effective_at is not null;

-- Text messages to owners. A row is written in the commit of what it reports, and goes when the message is sent: so each
-- is sent at least once. `content` is encrypted, because it holds the phone.
create table text_messages (
  id uuid primary key,
  content bytea not null,
  attempts int4 not null default 0,
  next_attempt_at timestamptz not null
);
create index text_messages_due on text_messages (next_attempt_at);

-- What the sandbox's telephones show, the newest last.
create table sandbox_messages (
  id uuid primary key,
  phone_index bytea not null,
  text bytea not null,
  sent_at timestamptz not null
);
create index sandbox_messages_phone on sandbox_messages (phone_index, id);
