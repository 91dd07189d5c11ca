-- How far a change has reached: which change took which revision, and which revision each instance of an SDK has presented.
-- The version that is running knows none of these tables. Its changes get a row without a change_id.
-- docs/decisions/0027-reach.md.

create table sdk_publications (
  environment text not null,
  revision integer not null,
  -- events.group_id. Null if the revision comes from plain SQL or from a server of the previous version.
  change_id text,
  -- The projects whose documents differ. Null: any.
  projects text[],
  published_at timestamptz not null default clock_timestamp(),
  -- The instances that had an earlier revision and presented this one or a later one, and when.
  instances integer not null default 0,
  first_at timestamptz,
  last_at timestamptz,
  -- Milliseconds after published_at, of at most 2,000 instances.
  delays integer[] not null default '{}',
  -- Evaluations of the server for browsers while this was the newest revision.
  requests bigint not null default 0,
  announced_at timestamptz,
  primary key (environment, revision)
);
create index sdk_publications_change_id_idx on sdk_publications (change_id);
create index sdk_publications_published_at_idx on sdk_publications (published_at);

-- The server processes, which write this every few seconds. A process that was killed has no stopped_at.
create table reach_servers (
  id text primary key,
  started_at timestamptz not null default now(),
  -- Since when the process has written without a pause.
  alive_since timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  stopped_at timestamptz,
  -- When the process last ignored an instance because it had no room for it.
  ignored_at timestamptz
);

-- The newest revision that each instance has presented. One row per SDK that was started.
create table reach_instances (
  token_id integer not null,
  connection_id text not null,
  environment text not null,
  -- The projects of the token. Null: all.
  projects text[],
  application text not null,
  instance text not null,
  epoch text not null,
  -- 0: the instance has presented nothing yet.
  revision integer not null,
  is_streaming boolean not null,
  interval_seconds integer not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null,
  -- The server that heard of the instance last.
  server_id text not null,
  primary key (token_id, connection_id)
) with (fillfactor = 70);
create index reach_instances_environment_idx on reach_instances (environment);

-- The revisions that somebody waits for. Servers ask clients with open streams what they have.
create table reach_questions (
  environment text primary key,
  revision integer not null,
  until timestamptz not null
);

-- The instances that count. An instance is forgotten when it has been silent for ten of its intervals and five minutes, while the
-- server that heard of it last was listening. If that server was killed, another one has to start first: its silence proves nothing.
create view reach_current as
with judges as materialized (
  select id, seen_at > now() - interval '15 seconds' as is_alive, case
    when seen_at > now() - interval '15 seconds' then alive_since
    when stopped_at is not null then (
      select min(alive_since) from reach_servers where seen_at > now() - interval '15 seconds'
    )
    else (
      select min(other.alive_since) from reach_servers as other
      where other.seen_at > now() - interval '15 seconds' and other.started_at > reach_servers.seen_at
    )
  end as listening_since
  from reach_servers
)
select reach_instances.token_id, connection_id, environment, projects, application, instance,
  case when epoch = (select id from database_epoch) then revision else 0 end as revision,
  is_streaming and is_alive as is_streaming, reach_instances.seen_at
from reach_instances join judges on judges.id = reach_instances.server_id
-- Without a server that listens, nobody can tell.
where listening_since is null
  or greatest(reach_instances.seen_at, listening_since) > now() - make_interval(secs => case
    -- A program that reads the flags once and ends.
    when revision = 0 and not is_streaming then 60
    else greatest(300, 10 * interval_seconds)
  end);

CREATE OR REPLACE FUNCTION public.publish_sdk_documents()
 RETURNS TABLE(environment text, revision integer)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $$
#variable_conflict use_column
declare
  this xid8 := pg_current_xact_id_if_assigned();
  names text[];
  -- Null: every environment.
  places text[];
  segments_marked boolean;
  tokens_marked boolean;
  changes sdk_change[];
  segment_changes sdk_segments[];
  candidate_places text[];
  candidate_ids integer[];
  changed text[] := '{}';
  revisions integer[];
begin
  select array_agg(key) filter (where kind = 'feature'),
    array_agg(distinct sdk_marks.environment) filter (where kind = 'feature'),
    bool_or(kind = 'segment'), bool_or(kind = 'tokens')
  into names, places, segments_marked, tokens_marked
  from sdk_marks where transaction = this;
  if tokens_marked is null then
    return;
  end if;
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'Flags, segments and API tokens can be changed only by transactions with isolation level READ COMMITTED.'
      using errcode = 'feature_not_supported';
  end if;

  if names is not null then
    if '' = any(places) then
      places := null;
    end if;
    perform from features where name = any(names) order by name for no key update;
    with built as materialized (
      select * from sdk_built_features
      where name = any(names) and (places is null or sdk_built_features.environment = any(places))
    ), stored as materialized (
      select * from sdk_features
      where name = any(names) and (places is null or sdk_features.environment = any(places))
    )
    select array_agg((
      environment, project, name, built.document, coalesce(built.segments, '{}'), coalesce(built.tags, '{}'),
      coalesce(stored.segments, '{}')
    )::sdk_change)
    into changes
    from built full join stored using (environment, project, name)
    where built.document is distinct from stored.document
      or built.document is not null and (built.segments <> stored.segments or built.tags <> stored.tags);
    if changes is not null then
      changed := array(select distinct change.environment from unnest(changes) as change order by 1);
      if exists (select from unnest(changes) as change where change.segments <> change.segments_before) then
        select array_agg(place), array_agg(id) into candidate_places, candidate_ids
        from (
          select change.environment, id from unnest(changes) as change, unnest(change.segments) as id
          where id <> all(change.segments_before)
          union
          select change.environment, id from unnest(changes) as change, unnest(change.segments_before) as id
          where id <> all(change.segments)
        ) as candidates (place, id);
      end if;
    end if;
  end if;
  if segments_marked then
    select candidate_places || array_agg(place.environment), candidate_ids || array_agg(marked.id)
    into candidate_places, candidate_ids
    from sdk_revisions as place
      cross join (select key::integer as id from sdk_marks where transaction = this and kind = 'segment') as marked
      left join sdk_built_segments as built on built.id = marked.id and built.environment = place.environment
      left join sdk_segments as stored on stored.id = marked.id and stored.environment = place.environment
    where built.document is distinct from stored.document;
  end if;

  if candidate_ids is not null then
    changed := array(select unnest(changed) union select unnest(candidate_places) order by 1);
    insert into sdk_revisions (environment)
    select unnest(changed) except select environment from sdk_revisions order by 1 on conflict do nothing;
    perform from sdk_revisions where environment = any(changed) order by environment for update;
    select array_agg((
      candidate.place, candidate.id, 0, built.document, case when built.document is null then now() end
    )::sdk_segments)
    into segment_changes
    from (select distinct * from unnest(candidate_places, candidate_ids)) as candidate (place, id)
      left join sdk_built_segments as built on built.id = candidate.id and built.environment = candidate.place
      left join sdk_segments as stored on stored.id = candidate.id and stored.environment = candidate.place
    where built.document is distinct from stored.document;
    changed := array(
      select change.environment from unnest(changes) as change
      union
      select change.environment from unnest(segment_changes) as change
      order by 1
    );
  elsif cardinality(changed) > 1 then
    perform from sdk_revisions where environment = any(changed) order by environment for update;
  end if;

  if changed <> '{}' then
    with taken as (
      update sdk_revisions set revision = revision + 1 where environment = any(changed)
      returning sdk_revisions.environment, sdk_revisions.revision
    )
    select array_agg(taken.environment), array_agg(taken.revision) into places, revisions from taken;
    if cardinality(changed) > coalesce(cardinality(places), 0) then
      with taken as (
        insert into sdk_revisions (environment, revision)
        select place, 1 from unnest(changed) as place where places is null or place <> all(places) order by 1
        on conflict (environment) do update set revision = sdk_revisions.revision + 1
        returning sdk_revisions.environment, sdk_revisions.revision
      )
      select places || array_agg(taken.environment), revisions || array_agg(taken.revision)
      into places, revisions from taken;
    end if;

    insert into sdk_features (environment, project, name, revision, document, segments, tags, removed_at)
    select change.environment, project, name, revisions[array_position(places, change.environment)], document, segments, tags,
      case when document is null then now() end
    from unnest(changes) as change
    on conflict (name, environment, project) do update set revision = excluded.revision, document = excluded.document,
      segments = excluded.segments, tags = excluded.tags, removed_at = excluded.removed_at;
    if segment_changes is not null then
      insert into sdk_segments (environment, id, revision, document, removed_at)
      select change.environment, id, revisions[array_position(places, change.environment)], document, removed_at
      from unnest(segment_changes) as change
      on conflict (environment, id) do update set revision = excluded.revision, document = excluded.document,
        removed_at = excluded.removed_at;
    end if;
    -- A segment that was edited belongs to no project, so it concerns every client of its environments.
    insert into sdk_publications (environment, revision, change_id, projects)
    select place, taken, nullif(current_setting('halyard.change', true), ''),
      case when not (coalesce(segments_marked, false)
        and exists (select from unnest(segment_changes) as change where change.environment = place))
      then array(
        select distinct change.project from unnest(changes) as change where change.environment = place order by 1
      ) end
    from unnest(places, revisions) as published (place, taken)
    on conflict (environment, revision) do update set change_id = excluded.change_id, projects = excluded.projects,
      published_at = excluded.published_at, instances = 0, first_at = null, last_at = null, delays = '{}', requests = 0,
      announced_at = null;
    return query select * from unnest(places, revisions);
  end if;

  delete from sdk_marks where transaction = this;
  if tokens_marked then
    update sdk_token_revision set revision = revision + 1;
    return query select null::text, revision from sdk_token_revision;
  end if;
end $$;

-- Publishes the documents of a change of the API.
create function publish_change(id text) returns table (environment text, revision integer) language plpgsql as $$
begin
  perform set_config('halyard.change', id, true);
  return query select * from publish_sdk_documents();
end $$;
