-- A hold that names nobody counts for its payee when it is released: whom the money goes to is known only then.
-- The payer's account bounds what such releases add to its counterparty windows: the moment of the last one, what they
-- came to on the IST day of that moment, and how many there were without an hour between them.
alter table accounts add column last_release_ms int8;
alter table accounts add column day_released_paise int8;
alter table accounts add column hour_releases int4;

-- The refund of another hold must not make an agent forget that it got such a release.
alter table counterparty_windows add column last_released_at timestamptz;

-- Holds that named nobody used to count together as a counterparty of their own.
delete from counterparty_windows where payee = '00000000-0000-7000-8000-000000000040';
