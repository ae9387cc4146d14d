-- Which request made a payment, for the spans of its deliveries, on whichever node they run. Only payments whose request is
-- sampled have a row, so it is empty while nothing is traced.
create table traced_payments (
  id uuid primary key,
  -- The span of the request, as the W3C header.
  traceparent text not null
);
