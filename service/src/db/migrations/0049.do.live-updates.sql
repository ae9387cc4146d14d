-- Events by owner and by platform, for streams that resume.
create index events_owner on events (owner_id, id) where agent_id is null and owner_id is not null;
create index events_platform on events (platform_id, id) where agent_id is null;
