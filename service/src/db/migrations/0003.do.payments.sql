-- What payments need beside the book: the keys that sign receipts, used nonces, counterparty windows.

-- Old keys stay: what they signed must verify for ever, and Ed25519 signs the same receipt alike each time.
create table signing_keys (
  id text primary key,
  public_key text not null,
  private_key bytea not null,
  active_from timestamptz not null
);

-- A nonce is accepted once for each payee (transaction verify with consume).
create table consumed_nonces (
  payee uuid not null,
  nonce text not null,
  payment_id uuid not null,
  consume_id text,
  consumed_at timestamptz not null,
  primary key (payee, nonce)
);

-- What a payer gave one counterparty today, and when last: written only while a control of the payer
-- needs it (see accounts.counterparties_since), so that other payments stay one row.
create table counterparty_windows (
  payer uuid not null,
  payee uuid not null,
  ist_day int4 not null,
  ist_day_spent_paise int8 not null,
  last_paid_at timestamptz not null,
  primary key (payer, payee)
);
create index counterparty_windows_recent on counterparty_windows (payer, last_paid_at);
