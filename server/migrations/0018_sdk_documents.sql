-- The documents that SDKs read: one per flag and environment and one per segment in use, each with the revision that last changed
-- it. Every transaction that changes a document writes it and takes the next revision of its environment, so revisions have
-- the order of commits and no gaps. "revision > n" is everything that changed after n. docs/decisions/0020-sdk-documents.md.
--
-- A server of the previous version knows nothing of this: the triggers publish its changes when they commit.

-- The last revision of each environment. No foreign key: an environment that is deleted and created again goes on counting.
create table sdk_revisions (
  environment text primary key,
  revision integer not null default 0,
  -- Removals up to this revision may have been purged. A client that knows only an earlier revision reads everything.
  complete_since integer not null default 0
);

-- The key begins with the name, because a flag is published in all its environments and projects: a moved flag has a row with
-- a document in its project, and a row without one in the earlier project.
create table sdk_features (
  environment text not null,
  project text not null,
  name text not null,
  revision integer not null,
  -- Null: removed.
  document text,
  segments integer[] not null,
  -- type:value
  tags text[] not null,
  removed_at timestamptz,
  primary key (name, environment, project),
  constraint sdk_features_removed_check check ((document is null) = (removed_at is not null))
) with (toast_tuple_target = 8160);
create index sdk_features_revision_idx on sdk_features (environment, revision);
create index sdk_features_removed_at_idx on sdk_features (removed_at) where removed_at is not null;

-- Segments that an enabled strategy of an active flag uses in the environment.
create table sdk_segments (
  environment text not null,
  id integer not null,
  revision integer not null,
  -- Null: no longer in use.
  document text,
  removed_at timestamptz,
  primary key (environment, id),
  constraint sdk_segments_removed_check check ((document is null) = (removed_at is not null))
) with (toast_tuple_target = 8160);
create index sdk_segments_revision_idx on sdk_segments (environment, revision);
create index sdk_segments_removed_at_idx on sdk_segments (removed_at) where removed_at is not null;

-- Moves when a token that SDKs use is created, changed or deleted.
create table sdk_token_revision (revision integer not null);
insert into sdk_token_revision values (0);

-- A command raises it after a dump was restored into the same cluster: revisions may then repeat with other documents.
create table sdk_epoch (number integer not null);
insert into sdk_epoch values (0);

-- The flags, segments and tokens that a transaction has touched. Unlogged, because after a crash no transaction is open. A row of kind "transaction" publishes
-- at commit what was not published before. There is one per transaction, so that a large import does not call the trigger for
-- each of its flags.
create unlogged table sdk_marks (
  transaction xid8 not null default pg_current_xact_id(),
  kind text not null,
  key text not null default '',
  -- Empty: every environment.
  environment text not null default '',
  primary key (transaction, kind, key, environment),
  constraint sdk_marks_kind_check check (kind in ('transaction', 'feature', 'segment', 'tokens'))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Documents that are to be built again. Deleting a row marks what it names.
create table sdk_rebuilds (
  kind text not null,
  key text not null,
  primary key (kind, key),
  constraint sdk_rebuilds_kind_check check (kind in ('feature', 'segment'))
);

-- Compact JSON text, without fields that are null.
create function sdk_json(value jsonb) returns text language sql immutable parallel safe as $$
  select json_strip_nulls(value::text::json)::text
$$;

-- The documents as they are to be stored, from the rows they depend on.
create view sdk_built_features as
select here.environment, features.project, features.name,
  '{"name":' || to_json(features.name) || ',"type":' || to_json(features.type)
  -- SDKs evaluate an enabled flag without strategies as enabled for everyone.
  || case when here.enabled and strategies.list is not null then ',"enabled":true' else ',"enabled":false' end
  || ',"project":' || to_json(features.project)
  || case when features.stale then ',"stale":true' else ',"stale":false' end
  || case when features.impression_data then ',"impressionData":true' else ',"impressionData":false' end
  || ',"strategies":[' || coalesce(strategies.list, '') || '],"variants":'
  || case when here.variants = '[]' then '[]' else sdk_json(here.variants) end
  || coalesce(',"dependencies":[' || (
    select string_agg('{"feature":' || to_json(parent) || ',"enabled":' || enabled::text
      || case when variants = '[]' then '' else ',"variants":' || sdk_json(variants) end || '}',
      ',' order by parent collate "C")
    from feature_dependencies where child = features.name
  ) || ']', '') || '}' as document,
  case when strategies.segments is null then '{}' else array(
    select distinct unnest(string_to_array(strategies.segments, ',')::integer[]) order by 1
  ) end as segments,
  array(
    select type || ':' || value from feature_tags where feature_name = features.name
    order by (type || ':' || value) collate "C"
  ) as tags
from features join feature_environments as here on here.feature_name = features.name
  cross join lateral (
    select string_agg('{"name":' || to_json(strategy_name) || ',"constraints":'
        || case when constraints = '[]' then '[]' else sdk_json(constraints) end
        || ',"parameters":' || case when jsonb_path_exists(parameters, '$.* ? (@.type() != "string")') then (
          select '{' || string_agg(to_json(key) || ':' || to_json(value), ',' order by key collate "C") || '}'
          from jsonb_each_text(parameters) where value is not null
        ) else sdk_json(parameters) end
        || ',"variants":' || case when variants = '[]' then '[]' else (
          -- All variants of a strategy have its stickiness.
          select '[' || string_agg(sdk_json(variant || case when parameters ? 'stickiness'
            then jsonb_build_object('stickiness', parameters ->> 'stickiness') else '{}' end), ',' order by place) || ']'
          from jsonb_array_elements(variants) with ordinality as listed (variant, place)
        ) end
        || coalesce(',"segments":[' || used.ids || ']', '') || '}',
        ',' order by sort_order, created_at, id) as list,
      string_agg(used.ids, ',') as segments
    from feature_strategies cross join lateral (
      select string_agg(segment_id::text, ',' order by strategy_id, segment_id) as ids
      from feature_strategy_segments where strategy_id = feature_strategies.id
    ) as used
    where feature_name = here.feature_name and environment = here.environment and not disabled
  ) as strategies
where features.archived_at is null;

create view sdk_built_segments as
select environments.name as environment, segments.id,
  '{"id":' || segments.id || ',"name":' || to_json(segments.name) || ',"constraints":' || sdk_json(segments.constraints)
  || '}' as document
from segments cross join environments
where exists (
  select from feature_strategy_segments
    join feature_strategies on feature_strategies.id = strategy_id
    join features on features.name = feature_name
  where segment_id = segments.id and environment = environments.name and not disabled and archived_at is null
);

create type sdk_change as (
  environment text,
  project text,
  name text,
  document text,
  segments integer[],
  tags text[],
  segments_before integer[]
);

-- Writes the documents that the transaction changed and returns the new revisions. Environment null: the revision of tokens.
--
-- Documents are built before the revision is taken, because other transactions of the environment wait from then on. They are
-- right for three reasons:
-- * A transaction that touches a flag holds the flag's row until it ends, at the latest from here on. No other open transaction
--   changes what the documents of the flag are built from.
-- * A transaction that begins to use a segment holds the segment's row in share mode (see the triggers). So it waits for a
--   transaction that changes the segment, or that transaction waits for it.
-- * Whether a segment is in use depends on many flags. That is decided while the environment's row of sdk_revisions is held,
--   so by one transaction after the other.
-- Each statement sees what was committed before it began. With REPEATABLE READ that would not be so.
--
-- The settings make plans independent of how many flags existed or were touched when a connection first planned a statement.
create function publish_sdk_documents() returns table (environment text, revision integer) language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $$
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
    return query select * from unnest(places, revisions);
  end if;

  delete from sdk_marks where transaction = this;
  if tokens_marked then
    update sdk_token_revision set revision = revision + 1;
    return query select null::text, revision from sdk_token_revision;
  end if;
end $$;

-- For transactions that did not publish themselves: plain SQL, and servers of the previous version. Servers that publish
-- themselves notify after the commit, because PostgreSQL commits transactions that notify one after the other.
create function publish_sdk_documents_at_commit() returns trigger language plpgsql as $$
begin
  -- Usually the transaction has published itself, and calling the function for nothing costs more than this.
  if exists (select from sdk_marks where transaction = new.transaction) then
    perform from publish_sdk_documents();
    if found then
      perform pg_notify('halyard_sdk', '');
    end if;
  end if;
  return null;
end $$;
create constraint trigger sdk_marks_published after insert on sdk_marks deferrable initially deferred
  for each row when (new.kind = 'transaction') execute function publish_sdk_documents_at_commit();

create function sdk_rebuilds_mark() returns trigger language plpgsql as $$
begin
  insert into sdk_marks (kind, key) select kind, key from went on conflict do nothing;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger sdk_rebuilds_marked after delete on sdk_rebuilds referencing old table as went
  for each statement execute function sdk_rebuilds_mark();

-- The triggers compare the columns that documents depend on: a row that differs occurs on one side only. Grouping takes linear
-- time. A join may not: its plan is made for the first statement of a connection, which may touch one row.

-- A new flag has no document until it has an environment, and a deleted flag loses its environments with it.
create function sdk_features_mark() returns trigger language plpgsql as $$
begin
  insert into sdk_marks (kind, key)
  select 'feature', name from (
    select 1 as side, name, project, type, stale, impression_data, archived_at is null as active from came
    union all
    select -1, name, project, type, stale, impression_data, archived_at is null from went
  ) as sides
  group by name, project, type, stale, impression_data, active having sum(side) <> 0
  on conflict do nothing;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
    if exists (select from went where archived_at is not null) then
      perform from segments where id = any(array(
        select segment_id from feature_strategy_segments where strategy_id = any(array(
          select id from feature_strategies where feature_name = any(array(
            select name from came where archived_at is null intersect select name from went where archived_at is not null
          ))
        ))
      )) order by id for share;
    end if;
  end if;
  return null;
end $$;
create trigger features_mark_updated after update on features referencing new table as came old table as went
  for each statement execute function sdk_features_mark();

create function sdk_feature_environments_mark() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from (
      select 1 as side, feature_name, environment, enabled, variants from came
      union all
      select -1, feature_name, environment, enabled, variants from went
    ) as sides
    group by feature_name, environment, enabled, variants having sum(side) <> 0
    on conflict do nothing;
  else
    insert into sdk_marks (kind, key, environment)
    select 'feature', feature_name, environment from changed on conflict do nothing;
  end if;
  if found then
    insert into sdk_marks (kind) values ('transaction') on conflict do nothing;
  end if;
  return null;
end $$;
create trigger feature_environments_mark_inserted after insert on feature_environments referencing new table as changed
  for each statement execute function sdk_feature_environments_mark();
create trigger feature_environments_mark_updated after update on feature_environments
  referencing new table as came old table as went
  for each statement execute function sdk_feature_environments_mark();
create trigger feature_environments_mark_deleted after delete on feature_environments referencing old table as changed
  for each statement execute function sdk_feature_environments_mark();
