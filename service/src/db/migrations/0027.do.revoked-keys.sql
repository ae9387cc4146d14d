-- A signing key that may be in other hands is revoked: nothing is signed with it any more, and it is published as revoked.
alter table signing_keys add column revoked_at timestamptz;
-- A row that was put back as it was before its revocation has this against it; there are few, and they are read often.
create index audit_entries_revoked_keys on audit_entries (target) where action = 'signing_key.revoked';
