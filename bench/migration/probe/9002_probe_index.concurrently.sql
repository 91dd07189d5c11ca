-- Creates an index on the partitioned log, writes a new value for every feature in batches, and validates existing rows.
create index concurrently if not exists events_probe_idx on events (group_id, type, id);
update features set probe = 'b' where name in (select name from features where probe = 'a' limit 200);
alter table features validate constraint features_probe_not_null;
