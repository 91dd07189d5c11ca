-- Servers keep sets of the event index in memory. A rebuild of a chunk raises the generation, so that they read the sets again.
alter table event_index_progress add column generation integer not null default 0;
