-- The record: every change is an event. Immutable, partitioned by id, no foreign keys out of it.

create extension if not exists pg_trgm;

-- cache 1 and ids taken in the INSERT itself: what follows the log counts on ids being handed out in order.
create sequence events_id_seq as bigint cache 1;

create table events (
  id bigint not null default nextval('events_id_seq'),
  created_at timestamptz not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  group_id text not null,
  type text not null,
  created_by text not null,
  created_by_user_id integer,
  ip text,
  project text,
  environment text,
  feature_name text,
  data jsonb,
  pre_data jsonb,
  tags jsonb not null default '[]',
  constraint events_pkey primary key (id)
) partition by range (id);
alter sequence events_id_seq owned by events.id;

-- The text that free-text search looks at. A line feed keeps a match from crossing two columns: JSON text
-- never holds a raw one.
create function event_text(data jsonb, pre_data jsonb, tags jsonb) returns text
  language sql immutable parallel safe
  return coalesce(data::text, '') || e'\n' || coalesce(pre_data::text, '') || e'\n' || tags::text;

-- One index per filter, each ending in id: a filtered page is a walk of one index, its total an index-only count.
create index events_project_idx on events (project, id);
create index events_feature_name_idx on events (feature_name, id);
create index events_type_idx on events (type, id);
create index events_created_by_user_id_idx on events (created_by_user_id, id);
create index events_environment_idx on events (environment, id);
create index events_group_id_idx on events (group_id, id);
create index events_created_at_idx on events (created_at, id);
create index events_text_idx on events using gin (event_text(data, pre_data, tags) gin_trgm_ops);

-- Partitions of 2^22 ids; a job attaches the next ones ahead of need (events/partitions.ts).
create table events_p0 partition of events for values from (0) to (4194304);
create table events_p1 partition of events for values from (4194304) to (8388608);

create function events_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are immutable';
end $$;
create trigger events_immutable before update or delete on events
  for each row execute function events_refuse_change();
-- A truncate trigger is not inherited: each partition has its own (events/partitions.ts).
create trigger events_not_truncated before truncate on events
  for each statement execute function events_refuse_change();
create trigger events_not_truncated before truncate on events_p0
  for each statement execute function events_refuse_change();
create trigger events_not_truncated before truncate on events_p1
  for each statement execute function events_refuse_change();

-- Ids are handed out before commit, so a higher id can become visible before a lower one. Every writer
-- therefore holds, until its transaction ends, a shared advisory lock that names the last id handed out
-- before its own first one: a follower reads no further than the lowest of these (events/follow.ts).
-- A statement trigger fires before the first nextval of the statement, and nobody can forget it.
create function events_announce_writer() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(
    1214344281,
    ((case when is_called then last_value else last_value - 1 end) % 2147483648)::integer
  ) from events_id_seq;
  return null;
end $$;
create trigger events_announce_writer before insert on events
  for each statement execute function events_announce_writer();

-- Who has written events in which project: answers "which creators are there" without reading the log.
create table event_creators (
  user_id integer not null,
  project text,
  constraint event_creators_key unique nulls not distinct (user_id, project)
);
