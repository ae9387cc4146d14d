-- An owner that the phone's holder has not accepted is an invitation, and no session covers it.

-- Owners that exist already were covered by every session of their phone, and stay so.
alter table owners
  add column link_status text not null default 'accepted'
    check (link_status in ('accepted', 'invited', 'declined')),
  add column link_decided_at timestamptz;
alter table owners alter column link_status set default 'invited';
