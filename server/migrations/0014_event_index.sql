-- Index of the event search (record/event-index): for every value of a dimension, such as a project or a UTC day, which
-- events of a chunk of 24,000 ids have it. Events are immutable, so a row never changes once every id of its chunk is
-- decided. The rest of the log, its tail, is searched directly.

create table event_postings (
  dimension text collate "C" not null,
  value text collate "C" not null,
  chunk integer not null,
  count integer not null,
  -- The positions in the chunk: a list of 2-byte integers, or a bitmap where that is shorter, as base64 (bitmap.ts).
  positions text collate "C" not null,
  primary key (dimension, value, chunk) include (count)
);
-- Two bitmaps fit in a page. Compressing them would cost more than it saves.
alter table event_postings alter column positions set storage plain;
-- Counts are read from the key alone where a page is known to be visible to everyone. By default PostgreSQL finds that out only after
-- a fifth of the table has been added.
alter table event_postings
  set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000);

-- How many chunks are indexed, counted from the beginning of the log.
create table event_index_progress (
  part text primary key,
  chunks integer not null
);
insert into event_index_progress (part, chunks) values ('filters', 0);
