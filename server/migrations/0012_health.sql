-- Health: what tells how old, how used and how needed a feature is, the days that are over, and a budget of debt.
-- Adds columns, tables and indexes only: the version before goes on beside it.

-- When feature-potentially-stale-on was written: once for a feature. Lifetimes change, so the moment itself is not kept;
-- of the features that wait, the index finds those of a type that are old enough without looking at the others.
alter table features add column announced_stale_at timestamptz;
create index features_unannounced_idx on features (type, created_at)
  where announced_stale_at is null and archived_at is null and not stale;

-- Most stale and potentially stale features with which a project takes new ones; null: any number.
alter table projects add column debt_budget integer,
  add constraint projects_debt_budget_check check (debt_budget >= 0);

-- Since when a feature is on or off in an environment, and when it first was on there.
alter table feature_environments
  add column switched_at timestamptz not null default now(),
  add column first_enabled_at timestamptz;
create index feature_environments_first_enabled_idx on feature_environments (first_enabled_at)
  where first_enabled_at is not null;
update feature_environments as here set switched_at = features.created_at
from features where features.name = here.feature_name;
update feature_environments as here set switched_at = story.last_at, first_enabled_at = story.first_on_at
from (
  select events.feature_name, events.environment, max(events.created_at) as last_at,
    min(events.created_at) filter (where events.type = 'feature-environment-enabled') as first_on_at
  from events join features on features.name = events.feature_name and events.created_at >= features.created_at
  where events.type in ('feature-environment-enabled', 'feature-environment-disabled')
  group by events.feature_name, events.environment
) as story
where story.feature_name = here.feature_name and story.environment = here.environment;

-- By trigger, so that no way of switching a feature can forget it.
create function feature_environment_switched() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.switched_at := now();
  end if;
  if new.enabled then
    new.first_enabled_at := coalesce(new.first_enabled_at, now());
  end if;
  return new;
end $$;
create trigger feature_environment_created before insert on feature_environments
  for each row execute function feature_environment_switched();
create trigger feature_environment_switched before update of enabled on feature_environments
  for each row when (old.enabled is distinct from new.enabled) execute function feature_environment_switched();

-- The strategies of a feature as the JSON fields that are sent of them, one text for each environment that has any. A report of
-- 10,000 features has 60,000 strategies, and to put their text together each time cost 320 ms of 750. Derived, and by
-- trigger always right. A table of its own, because the rows of feature_environments are rewritten whenever an SDK is
-- seen, and a row for the whole feature, because that is one page to read; kept in that page as it is, not compressed.
create table strategy_texts (
  feature_name text primary key references features on update cascade on delete cascade,
  environments text[] not null,
  fields text[] not null,
  any_enabled boolean[] not null
) with (toast_tuple_target = 8160);

create function strategy_text(feature_strategies) returns text language sql stable parallel safe return
  '{"id":"' || $1.id || '","name":' || to_json($1.strategy_name) || ',"title":' || coalesce(to_json($1.title)::text, 'null')
  || ',"disabled":' || $1.disabled || ',"featureName":' || to_json($1.feature_name) || ',"sortOrder":' || $1.sort_order
  || ',"segments":[' || array_to_string(array(
    select segment_id from feature_strategy_segments where strategy_id = $1.id order by segment_id
  ), ',') || '],"constraints":' || $1.constraints || ',"variants":' || $1.variants || ',"parameters":' || $1.parameters || '}';

create function write_strategy_texts(changed text[]) returns void language sql as $$
  delete from strategy_texts where feature_name = any(changed);
  insert into strategy_texts (feature_name, environments, fields, any_enabled)
  select feature_name, array_agg(environment),
    array_agg('"hasStrategies":true,"hasEnabledStrategies":' || any_enabled || ',"strategies":[' || strategies || ']'),
    array_agg(any_enabled)
  from (
    select strategy.feature_name, strategy.environment, bool_or(not strategy.disabled) as any_enabled,
      string_agg(strategy_text(strategy), ',' order by strategy.sort_order, strategy.created_at, strategy.id) as strategies
    from feature_strategies as strategy where feature_name = any(changed)
    group by strategy.feature_name, strategy.environment
  ) as here
  group by feature_name;
$$;

create function strategies_changed() returns trigger language plpgsql as $$
begin
  perform write_strategy_texts(array_agg(distinct feature_name)) from changed having count(*) > 0;
  return null;
end $$;
create trigger strategies_added after insert on feature_strategies
  referencing new table as changed for each statement execute function strategies_changed();
create trigger strategies_updated after update on feature_strategies
  referencing new table as changed for each statement execute function strategies_changed();
create trigger strategies_removed after delete on feature_strategies
  referencing old table as changed for each statement execute function strategies_changed();

create function strategy_segments_changed() returns trigger language plpgsql as $$
begin
  perform write_strategy_texts(array_agg(distinct feature_name))
  from feature_strategies where id in (select strategy_id from changed) having count(*) > 0;
  return null;
end $$;
create trigger strategy_segments_added after insert on feature_strategy_segments
  referencing new table as changed for each statement execute function strategy_segments_changed();
create trigger strategy_segments_removed after delete on feature_strategy_segments
  referencing old table as changed for each statement execute function strategy_segments_changed();

select write_strategy_texts(array_agg(distinct feature_name)) from feature_strategies;

-- A finding put off, with a reason, until a moment. It goes with what it is about.
create table health_snoozes (
  id integer generated always as identity primary key,
  rule text not null,
  feature_name text references features on update cascade on delete cascade,
  segment_id integer references segments on delete cascade,
  reason text not null,
  until timestamptz not null,
  created_at timestamptz not null default now(),
  created_by_user_id integer not null,
  constraint health_snoozes_subject_check check (num_nonnulls(feature_name, segment_id) = 1),
  constraint health_snoozes_key unique nulls not distinct (feature_name, segment_id, rule)
);
create index health_snoozes_segment_idx on health_snoozes (segment_id) where segment_id is not null;

-- Health of days that are over, once asked for: what the events tell of them cannot change any more.
create table project_health_days (
  project text not null references projects on delete cascade,
  day date not null,
  features integer not null,
  stale integer not null,
  potentially_stale integer not null,
  primary key (project, day)
);

-- Activity of a project by time, from the index alone.
create index events_project_created_at_idx on events (project, created_at);
-- Which features a project ever had, and what became of a feature: a small part of the log.
create index events_project_feature_idx on events (project, feature_name)
  where type in ('feature-created', 'feature-project-change');
create index events_feature_state_idx on events (feature_name, id)
  where type in ('feature-created', 'feature-deleted', 'feature-archived', 'feature-revived', 'feature-stale-on',
    'feature-stale-off', 'feature-metadata-updated', 'feature-project-change');
-- Which features of a project were made as copies.
create index events_cloned_idx on events (project, feature_name)
  where type = 'feature-created' and data ? 'clonedFrom';
