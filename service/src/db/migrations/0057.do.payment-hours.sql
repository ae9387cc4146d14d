-- Requests to pay by hour, and failed deliveries of all platforms newest first, for the pages of administrators.

-- What one process counted in one hour in IST, counted in hours since 1970-01-01. A process writes its own rows only, as
-- totals, so a repeated write changes nothing.
create table payment_hours (
  ist_hour int4 not null,
  process uuid not null,
  -- Accepted requests by duration; the steps are in the source.
  accepted int8[] not null,
  slowest_ms float8 not null,
  -- Refused requests by error code.
  refused jsonb not null,
  primary key (ist_hour, process)
);

create index webhook_deliveries_failed on webhook_deliveries (id) where status = 'failed';
