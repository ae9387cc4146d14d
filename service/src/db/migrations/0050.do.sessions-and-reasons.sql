-- A platform's session has no phone. It holds the hash of the platform's secret, so it ends when the secret is rotated.
alter table sessions
  drop constraint sessions_audience_check,
  alter column phone drop not null,
  alter column phone_index drop not null,
  add column platform_id uuid,
  add column secret_hash bytea,
  -- When the session was last used, to the minute, and from where it was opened, encrypted. Both are only shown.
  add column last_used_at timestamptz,
  add column opened_from bytea,
  add constraint sessions_holder check (
    case audience
      when 'platform' then platform_id is not null and secret_hash is not null and phone is null and phone_index is null
      when 'owner' then platform_id is null and secret_hash is null and phone is not null and phone_index is not null
      when 'admin' then platform_id is null and secret_hash is null and phone is not null and phone_index is not null
      else false
    end);
-- The sessions of one person.
create index sessions_phone on sessions (phone_index, audience) where phone_index is not null;

-- Why an owner rejected a request, in the owner's words.
alter table approvals add column rejection_reason text;
