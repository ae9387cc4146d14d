-- The connected app that made a request; null: the platform's secret or an agent's key did.
alter table request_log add column app_id uuid;
