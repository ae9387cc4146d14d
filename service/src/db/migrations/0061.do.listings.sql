-- What sellers publish about what they sell, as it was last read at their origins. It moves no money.

create table listings (
  id uuid primary key,
  agent_id uuid not null,
  origin text not null,
  -- As it was last read without an error.
  document text not null,
  -- The text of the document, for the search.
  words text not null,
  search tsvector not null generated always as (to_tsvector('english', words)) stored,
  created_at timestamptz not null,
  -- A new id for each check without an error, so that ids are in the order of these checks.
  check_id uuid not null,
  checked_at timestamptz not null,
  failing_since timestamptz,
  -- When the document is read next.
  due_at timestamptz not null,
  unique (agent_id, origin)
);
create index listings_due on listings (due_at);
create index listings_checked on listings (check_id);
create index listings_search on listings using gin (search);

-- The checks of a listing, by UTC day since 1970.
create table listing_days (
  listing_id uuid not null,
  day int4 not null,
  checks int4 not null,
  failures int4 not null,
  primary key (listing_id, day)
);
