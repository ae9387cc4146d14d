-- An agent may be ended while an administrator has stopped it, but its money stays held: this is how it was stopped then.
alter table agents add column held_as text check (held_as in ('frozen', 'quarantined'));
