-- What is kept for a repeated request holds personal data: its answer is encrypted, its fingerprint and address are keyed.
alter table idempotent_requests rename column response to clear_response;
alter table idempotent_requests add column response bytea;
-- False for rows of before; a node rewrites them before it serves, so that no repetition of before is done twice.
alter table idempotent_requests add column is_keyed boolean not null default false;
alter table idempotent_requests alter column is_keyed set default true;
create index idempotent_requests_clear on idempotent_requests (created_at) where not is_keyed;
