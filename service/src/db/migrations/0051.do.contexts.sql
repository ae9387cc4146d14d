-- The context of a payment or hold is its audit entry.
create index audit_entries_contexts on audit_entries (target) where action = 'context.recorded';
