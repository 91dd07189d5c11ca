-- The event log. Events are immutable, partitioned by id, and reference no other table: what they describe may be gone.

create extension if not exists pg_trgm;

-- cache 1, and ids taken in the INSERT itself: consumers of the log rely on ids being assigned in order.
create sequence events_id_seq as bigint cache 1;

create table events (
  id bigint not null default nextval('events_id_seq'),
  created_at timestamptz not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  group_id text not null,
  type text not null,
  created_by text not null,
  created_by_user_id integer,
  created_by_kind text,
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

-- The text that free-text search reads. JSON text never contains a raw line feed, so a match cannot cross columns.
create function event_text(data jsonb, pre_data jsonb, tags jsonb) returns text
  language sql immutable parallel safe
  return coalesce(data::text, '') || e'\n' || coalesce(pre_data::text, '') || e'\n' || tags::text;

-- One index per filter, each ending in id: a filtered page reads one index in order, its total is an index-only count.
create index events_project_idx on events (project, id);
create index events_feature_name_idx on events (feature_name, id);
create index events_type_idx on events (type, id);
create index events_created_by_user_id_idx on events (created_by_user_id, id);
create index events_environment_idx on events (environment, id);
create index events_group_id_idx on events (group_id, id);
create index events_created_at_idx on events (created_at, id);
create index events_text_idx on events using gin (event_text(data, pre_data, tags) gin_trgm_ops);
-- Activity of a project over time, as an index-only scan.
create index events_project_created_at_idx on events (project, created_at);
-- Features a project ever had, and the history of one feature: a small part of the log.
create index events_project_feature_idx on events (project, feature_name)
  where type in ('feature-created', 'feature-project-change');
create index events_feature_state_idx on events (feature_name, id)
  where type in ('feature-created', 'feature-deleted', 'feature-archived', 'feature-revived', 'feature-stale-on',
    'feature-stale-off', 'feature-metadata-updated', 'feature-project-change');
-- The first activation of a feature.
create index events_feature_enabled_idx on events (feature_name, id)
  where type = 'feature-environment-enabled';
-- Features created, archived and enabled in a project, by time.
create index events_project_milestones_idx on events (project, type, created_at) include (feature_name)
  where type in ('feature-created', 'feature-archived', 'feature-environment-enabled');
-- Features of a project that are clones.
create index events_cloned_idx on events (project, feature_name)
  where type = 'feature-created' and data ? 'clonedFrom';

-- 2^22 ids per partition. A job attaches the next partition before it is needed (events/partitions.ts).
create table events_p0 partition of events for values from (0) to (4194304);
create table events_p1 partition of events for values from (4194304) to (8388608);

-- The GIN pending list may grow, because a job flushes it (events/text-index.ts). With the default of 4 MB, one change in
-- six hundred flushed it and took 0.3 s longer. Partitions of an index do not inherit the setting.
alter index events_p0_event_text_idx set (gin_pending_list_limit = 32768);
alter index events_p1_event_text_idx set (gin_pending_list_limit = 32768);

create function events_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are immutable';
end $$;
create trigger events_immutable before update or delete on events
  for each row execute function events_refuse_change();
-- Partitions do not inherit truncate triggers: each has its own (events/partitions.ts).
create trigger events_not_truncated before truncate on events
  for each statement execute function events_refuse_change();
create trigger events_not_truncated before truncate on events_p0
  for each statement execute function events_refuse_change();
create trigger events_not_truncated before truncate on events_p1
  for each statement execute function events_refuse_change();

-- Ids are assigned before commit, so a higher id can become visible before a lower one. Every writer therefore holds,
-- until its transaction ends, a shared advisory lock whose key is the last id assigned before its own first id. A consumer
-- reads no further than the lowest of these keys (events/follow.ts). A statement trigger fires before the statement's first
-- nextval, so no writer can forget the lock.
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

-- Users who caused events, by project: lists creators without reading the log.
create table event_creators (
  user_id integer not null,
  project text,
  constraint event_creators_key unique nulls not distinct (user_id, project)
);
