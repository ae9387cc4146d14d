-- Money coming in: payment sessions, refunds owed at the gateway, and the sandbox gateway's own books.

-- One payment session. Its status changes only in the posting engine, under the lock of the wallet's account,
-- so success, failure, expiry and chargeback race to exactly one outcome. `next_check_at` is the job: at that
-- moment the gateway is asked what became of the order; null when nothing more is expected.
create table fundings (
  agent_id uuid not null,
  id uuid not null,
  session_id uuid not null,
  gateway text not null,
  method text not null check (method in ('upi', 'card', 'netbanking', 'link')),
  amount_paise int8 not null check (amount_paise > 0),
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed', 'reversed')),
  failure_reason text,
  gateway_order_id text,
  gateway_session_id text,
  upi_intent text,
  last_attempt text check (last_attempt in ('pending', 'success', 'failed', 'dropped')),
  paid_method text,
  fee_paise int8,
  gateway_payment_id text,
  bank_reference text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  closed_at timestamptz,
  reversed_at timestamptz,
  next_check_at timestamptz,
  primary key (agent_id, id)
);
create index fundings_id on fundings (id);
create index fundings_session on fundings (session_id);
create index fundings_due on fundings (next_check_at) where next_check_at is not null;

-- Money that reached the gateway and must go back to who paid it: it came late, twice or wrong, and never
-- touches the book. The row's id is the refund's id at the gateway, so a refund sent again is the same refund.
create table gateway_refunds (
  id uuid primary key,
  gateway text not null,
  order_id text not null,
  gateway_order_id text,
  gateway_payment_id text not null,
  amount_paise int8 not null check (amount_paise > 0),
  currency text not null,
  reason text not null,
  status text not null default 'due' check (status in ('due', 'sent', 'done', 'failed')),
  attempts int4 not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz
);
create unique index gateway_refunds_payment on gateway_refunds (gateway, gateway_payment_id);
create index gateway_refunds_due on gateway_refunds (next_attempt_at) where next_attempt_at is not null;

-- Notices that were dealt with, so that a gateway's repetitions cost nothing. Cleared after some days.
create table gateway_notices (
  gateway text not null,
  dedupe_key text not null,
  received_at timestamptz not null,
  primary key (gateway, dedupe_key)
);
create index gateway_notices_received on gateway_notices (received_at);

-- The sandbox gateway is an outside system that happens to live here: nothing but it reads these tables.
create table sandbox_orders (
  order_id text primary key,
  gateway_order_id text not null,
  amount_paise int8 not null,
  currency text not null,
  note text not null,
  status text not null default 'active' check (status in ('active', 'paid', 'expired', 'terminated')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create table sandbox_payments (
  id uuid primary key,
  order_id text not null,
  method text not null,
  status text not null check (status in ('pending', 'success', 'failed', 'dropped')),
  amount_paise int8 not null,
  currency text not null,
  bank_reference text,
  charged_back boolean not null default false,
  created_at timestamptz not null,
  paid_at timestamptz,
  resolves_at timestamptz,
  resolves_to text check (resolves_to in ('success', 'failed'))
);
create index sandbox_payments_order on sandbox_payments (order_id, id);
create index sandbox_payments_due on sandbox_payments (resolves_at) where resolves_at is not null;

create table sandbox_refunds (
  refund_id text primary key,
  order_id text not null,
  payment_id uuid not null,
  amount_paise int8 not null,
  status text not null check (status in ('pending', 'done', 'failed')),
  created_at timestamptz not null
);
create index sandbox_refunds_payment on sandbox_refunds (payment_id);
