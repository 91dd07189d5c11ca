-- Features become a dimension of the event index. The server indexes the filters of every chunk again in the background.
create temporary table progress on commit drop as select part, chunks from event_index_progress;
drop table event_postings;
drop table event_index_progress;

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

create table event_index_progress (
  part text primary key,
  chunks integer not null
);
insert into event_index_progress (part, chunks) values ('filters', 0);
insert into event_index_progress (part, chunks) select part, chunks from progress where part = 'text';
