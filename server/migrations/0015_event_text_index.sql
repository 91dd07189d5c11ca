-- Text in the index of the event search (record/event-index/text). As in event_postings, a row tells which events of a
-- chunk contain a value.

create table event_text_postings (
  -- The kind of the value: a word, a phrase, a part of a word … (collect.ts).
  dimension text collate "C" not null,
  value text collate "C" not null,
  chunk integer not null,
  count integer not null,
  positions text collate "C" not null,
  primary key (dimension, value, chunk) include (count)
);
alter table event_text_postings alter column positions set storage plain;
alter table event_text_postings
  set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000);

-- The distinct words and phrases of event_text_postings. The trigram index finds those that contain a text.
create table event_text_terms (
  dimension text collate "C" not null,
  value text collate "C" not null,
  primary key (dimension, value)
);
create index event_text_terms_value_idx on event_text_terms using gin (value gin_trgm_ops) with (fastupdate = off);

insert into event_index_progress (part, chunks) values ('text', 0);
