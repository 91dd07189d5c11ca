-- The case of a letter no longer depends on the locale of the database: ICU lowers it by the rules of Unicode, in any database.
-- The final sigma is an ordinary sigma here, because a part of a word must be found wherever it ends. What the index of the event
-- search stores was lowered by this function, so the function must never change.
create function fold_case(value text) returns text
  language sql immutable parallel safe
  return replace(lower(value collate "und-x-icu"), 'ς', 'σ');

-- The index of folded text has tables of its own and is built in the background. Until then a search reads the log. The version
-- before keeps using event_text_postings, event_text_terms, event_large_texts and event_large_text_progress, which a later release
-- drops.
create table event_folded_postings (
  -- The kind of the value: a word, a phrase, a part of a word … (collect.ts).
  dimension text collate "C" not null,
  value text collate "C" not null,
  chunk integer not null,
  count integer not null,
  positions text collate "C" not null,
  primary key (dimension, value, chunk) include (count)
);
alter table event_folded_postings alter column positions set storage plain;
alter table event_folded_postings
  set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000);

-- The distinct words and phrases of event_folded_postings. The trigram index finds those that contain a text.
create table event_folded_terms (
  dimension text collate "C" not null,
  value text collate "C" not null,
  primary key (dimension, value)
);
create index event_folded_terms_value_idx on event_folded_terms using gin (value gin_trgm_ops) with (fastupdate = off);

insert into event_index_progress (part, chunks) values ('folded-text', 0);

create table event_large_folded_texts (
  id bigint primary key,
  -- A bit for each run of characters. A search reads single bytes of it, so it must not be compressed.
  filter bytea not null,
  text text collate "C" not null
);
alter table event_large_folded_texts alter column filter set storage external;

-- The last id of the log that was looked at.
create table event_large_folded_progress (
  last_id bigint not null
);
insert into event_large_folded_progress (last_id) values (0);
