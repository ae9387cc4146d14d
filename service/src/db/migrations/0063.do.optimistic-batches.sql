-- Ends a transaction whose batch was decided before it read anything, if what it was decided on is no longer so.
create function require_unchanged(holds boolean) returns boolean language plpgsql as $$
begin
  if holds is not true then
    raise exception 'the batch was decided on facts that have changed' using errcode = 'BA001';
  end if;
  return true;
end $$;
