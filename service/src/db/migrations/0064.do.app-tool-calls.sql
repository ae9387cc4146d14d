-- How often connected apps call tools, until the hour is over and the audit log has an entry of it. Each node has rows of
-- its own with its totals, so that a write whose outcome is unknown can be repeated.
create table app_tool_calls (
  -- Counted from 1970.
  hour int4 not null,
  app_id uuid not null,
  agent_id uuid not null,
  -- A tool, or the address of a resource.
  tool text not null,
  -- A process of the service.
  node uuid not null,
  calls int4 not null,
  primary key (hour, app_id, tool, node)
);
