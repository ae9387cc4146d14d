-- MACs over organizations: whose one is decides who moves the money of its treasury.
alter table organizations add column mac bytea, add column mac_version int4 not null default 0;
insert into row_macs (table_name) values ('organizations');
