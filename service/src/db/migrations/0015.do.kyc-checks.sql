-- Bank verifications that are still to be decided.

-- An owner's latest submission, written before the bank is asked, so that none is lost with an answer or a process. At
-- `next_check_at` the bank is asked again: by its reference where it gave one, else anew. The row goes with the verdict.
create table kyc_checks (
  owner_id uuid primary key,
  -- Of the submission: a verdict on an older one finds another id here, or none, and is dropped.
  id uuid not null,
  bank_account bytea not null,
  bank_account_last4 text not null,
  bank_ifsc text not null,
  reference text,
  attempts int4 not null default 0,
  next_check_at timestamptz not null
);
create index kyc_checks_due on kyc_checks (next_check_at);

insert into kyc_checks (owner_id, id, bank_account, bank_account_last4, bank_ifsc, next_check_at)
select id, gen_random_uuid(), bank_account, bank_account_last4, bank_ifsc, created_at
from owners where kyc_status = 'pending' and bank_account is not null;
