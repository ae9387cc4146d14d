-- The sandbox's bank, and faults that its gateway plays: an outside system that happens to live here.

-- A bank account that payouts may go to; its number is kept as a keyed digest, beside what payouts to it do.
create table sandbox_beneficiaries (
  beneficiary_id text primary key,
  account_digest bytea not null unique,
  behaviour text not null
);

-- How a payout stands follows from its behaviour, its age and how often it was asked about.
create table sandbox_payouts (
  transfer_id text primary key,
  provider_payout_id text not null,
  amount_paise int8 not null,
  behaviour text not null,
  -- Null while the first request of this id has only met a fault.
  accepted_at timestamptz,
  asked int4 not null default 0
);

-- Banks that do not answer for a while, by who asked about which account.
create table sandbox_outages (
  claim_digest bytea primary key,
  ends_at timestamptz not null
);

-- Notices that are to be sent later. Whoever takes one out sends it; one that is lost then is found by asking.
create table sandbox_notices (
  id uuid primary key,
  gateway text not null,
  body text not null,
  due_at timestamptz not null
);
create index sandbox_notices_due on sandbox_notices (gateway, due_at);

alter table sandbox_payments
  add column charged_back_at timestamptz,
  -- What becomes of a refund of this payment where it is not done at once.
  add column refund_fault text check (refund_fault in ('pending', 'failed'));
create index sandbox_payments_paid on sandbox_payments (paid_at) where paid_at is not null;
create index sandbox_payments_charged_back on sandbox_payments (charged_back_at) where charged_back_at is not null;

alter table sandbox_refunds add column done_at timestamptz;
update sandbox_refunds set done_at = created_at where status = 'done';
create index sandbox_refunds_done on sandbox_refunds (done_at) where done_at is not null;
