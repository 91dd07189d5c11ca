-- An index on the partitioned log, a new value for every feature in batches, and the check of existing rows.
create index concurrently if not exists events_probe_idx on events (group_id, type, id);
update features set probe = 'b' where name in (select name from features where probe = 'a' limit 200);
alter table features validate constraint features_probe_not_null;
