-- The audit trail of an agent has the payments that it received: what else it was credited by has an index of its own, so
-- that its payments are counted and skipped without reading their rows. Payments are not in it and pay nothing for it.
create index transfers_no_payment_credits on transfers (credit_account, id) where coalesce(kind <> 'payment', false);
