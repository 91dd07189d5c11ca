-- The text index of the event search stores fewer kinds of sets, and its hashes have a key (decision 0019). It has tables of its own and
-- is built in the background. Until then a search reads the log. The version before keeps using event_folded_postings,
-- event_folded_terms, event_large_folded_texts and event_large_folded_progress, which a later release drops.

-- The format of what is stored, and the key of its hashes. A server that expects a different format begins the index again.
alter table event_index_progress
  add column format integer not null default 0,
  add column key integer;
insert into event_index_progress (part, chunks) values ('keyed-text', 0);

create table event_text_sets (
  key integer not null,
  -- What the value is: a word, a phrase, a hash … (collect.ts).
  kind text collate "C" not null,
  value text collate "C" not null,
  chunk integer not null,
  count integer not null,
  -- As in event_postings.
  positions text collate "C" not null,
  primary key (key, kind, value, chunk) include (count)
);
alter table event_text_sets alter column positions set storage plain;
alter table event_text_sets
  set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 10000);

-- The distinct words and phrases of event_text_sets. The trigram index finds those that contain a text.
create table event_text_dictionary (
  kind text collate "C" not null,
  value text collate "C" not null,
  primary key (kind, value)
);
create index event_text_dictionary_value_idx on event_text_dictionary using gin (value gin_trgm_ops) with (fastupdate = off);

-- The folded text of large events. To make it from JSON takes 12 to 40 ms for 340,000 characters.
create table event_text_large (
  key integer not null,
  id bigint not null,
  -- A bit for each run of characters. A search reads single bytes of it, so it must not be compressed.
  filter bytea not null,
  text text collate "C" not null,
  primary key (key, id)
);
alter table event_text_large alter column filter set storage external;

-- The last id of the log that was looked at.
create table event_text_large_progress (
  last_id bigint not null
);
insert into event_text_large_progress (last_id) values (0);
