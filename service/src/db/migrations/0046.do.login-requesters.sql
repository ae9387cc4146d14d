-- Who shares a network uses up neither the codes nor the tries of another browser there, so each browser has its own row.

alter table login_codes
  -- Whether the code was sent within the allowance of a place where the phone has logged in.
  add column is_trusted boolean not null default false,
  -- How many right codes in a row count until second_until.
  add column right_codes smallint not null default 0;

-- Rows that remember a right code remember one.
update login_codes set right_codes = 1 where second_until is not null;
