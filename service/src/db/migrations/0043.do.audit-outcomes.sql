-- What became of an approval, an escrow, a funding or a payout is asked of the log before money moves, by its id,
-- however many entries its agent has: so an old row that was put back moves none.
create index audit_entries_outcomes on audit_entries (target) where action in (
  'approval.approved', 'approval.rejected', 'approval.expired',
  'escrow.released', 'escrow.refunded',
  'funding.completed', 'funding.failed', 'funding.reversed',
  'payout.completed', 'payout.failed', 'payout.reversed');
