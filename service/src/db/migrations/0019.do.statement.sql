-- Statements stay fast with escrow and payouts: what is no line of its own, and what waits, has an index of its own.

-- A payment is in none of these, so it costs nothing. Their conditions are repeated word for word in
-- modules/transactions/statement-sql.ts, or they would not be used; with coalesce nobody else's statement about a kind of
-- transfer can be planned with them, which would be a scan.
create index transfers_holds on transfers (debit_account, id) where kind = 'escrow_hold';
create index transfers_unlisted_debits on transfers (debit_account, id)
  where coalesce(kind in ('chargeback', 'payout'), false);
create index transfers_unlisted_credits on transfers (credit_account, id)
  where coalesce(kind in ('fund', 'escrow_refund', 'payout_failed', 'payout_reversed'), false);

-- Wallets below zero are looked for among those that had a chargeback: an index on balances would cost every payment.
create index transfers_chargebacks on transfers (debit_account, id) where kind = 'chargeback';
create index payouts_pending on payouts (agent_id) where status = 'pending';
