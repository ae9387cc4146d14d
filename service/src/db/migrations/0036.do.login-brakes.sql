-- Wrong tries brake a login, not the codes that are sent: where a phone logged in before, and what strangers tried.

-- Networks and browsers that a phone logged in from, each as an HMAC. They are not braked by what strangers do.
create table login_places (
  audience text not null check (audience in ('owner', 'admin')),
  phone_index bytea not null,
  place bytea not null,
  used_at timestamptz not null,
  primary key (audience, phone_index, place)
);
create index login_places_used on login_places (used_at);

-- sent_at is of strangers alone from now on; tried_at has the moments of their tries within the hour. The last code
-- that was sent for a stranger is good at every stranger's place, when no more messages go out.
alter table login_phones
  add column tried_at timestamptz[] not null default '{}',
  add column code_hash bytea,
  add column code_expires_at timestamptz;

-- Until when a right code at this place counts as the first of two.
alter table login_codes add column second_until timestamptz;

-- Wrong tries of strangers by the minute, over all phones.
create table login_wrong_tries (
  minute timestamptz primary key,
  tries int8 not null
);

-- The last step of each administrator's TOTP secret, by an HMAC of the secret: each code is good once.
create table login_totp_steps (
  secret_index bytea primary key,
  step int8 not null
);

-- Guessing is about no platform: its alerts are the service's own.
alter table risk_alerts alter column platform_id drop not null;
insert into risk_rules (rule, severity, score, thresholds, description)
values ('login_guessing', 'high', 50,
  '{"min_failures": 100, "window_minutes": 10}',
  'Wrong login codes are tried, over all phones together.');
