-- Feature flags: types, strategies, context fields, tags, segments, and the state of a flag in each environment.

create table feature_types (
  id text primary key,
  name text not null,
  description text not null,
  lifetime_days integer,
  constraint feature_types_lifetime_check check (lifetime_days > 0)
);

create table strategies (
  name text primary key,
  display_name text,
  description text not null default '',
  parameters jsonb not null default '[]',
  built_in boolean not null default false,
  deprecated boolean not null default false,
  sort_order integer not null default 9999,
  created_at timestamptz not null default now()
);

create table context_fields (
  name text primary key,
  description text,
  stickiness boolean not null default false,
  sort_order integer not null default 10,
  legal_values jsonb not null default '[]',
  project text references projects on delete cascade,
  created_at timestamptz not null default now()
);

create table tag_types (
  name text primary key,
  description text,
  icon text,
  color text,
  created_at timestamptz not null default now()
);
create table tags (
  type text not null references tag_types on delete cascade,
  value text not null,
  created_at timestamptz not null default now(),
  -- The project in which the tag first appeared, null for a tag that was created on its own. A tag that no feature has is
  -- shown to whoever may read that project. No foreign key: a deleted private project must not make its tags visible.
  project text,
  primary key (type, value),
  constraint tags_value_check check (char_length(value) between 2 and 50)
);

create table segments (
  id integer generated always as identity primary key,
  name text not null,
  description text,
  project text references projects on delete cascade,
  constraints jsonb not null default '[]',
  created_at timestamptz not null default now(),
  created_by text not null,
  constraint segments_name_key unique (name)
);
create index segments_project_idx on segments (project);

-- Feature names are unique across the instance, archived features included.
create table features (
  name text primary key,
  project text not null references projects,
  type text not null references feature_types,
  description text,
  stale boolean not null default false,
  impression_data boolean not null default false,
  -- Names at the time of cloning, without a reference: the source may be deleted, the clone remains a clone.
  cloned_from text,
  cloned_from_project text,
  -- When feature-potentially-stale-on was recorded, at most once per feature.
  announced_stale_at timestamptz,
  created_at timestamptz not null default now(),
  created_by_user_id integer,
  archived_at timestamptz,
  constraint features_cloned_from_check check ((cloned_from is null) = (cloned_from_project is null))
);
create index features_project_idx on features (project, name);
-- Partial, because archived features gather at the old end, where the default order begins. The first index serves the page
-- of a project and, index-only, its total and its counts per type; the second serves the page of the instance.
create index features_active_project_idx on features (project, created_at, name) include (type, stale)
  where archived_at is null;
create index features_active_idx on features (created_at, name) where archived_at is null;
-- Features that are old enough to become potentially stale. The lifetime of a type can change, so no due date is stored.
create index features_unannounced_idx on features (type, created_at)
  where announced_stale_at is null and archived_at is null and not stale;

-- The text that feature search reads. A line feed keeps a match from crossing columns.
create function feature_text(name text, description text) returns text
  language sql immutable parallel safe
  return name || e'\n' || coalesce(description, '');
create index features_text_idx on features using gin (feature_text(name, description) gin_trgm_ops);

-- The number of active features, for the limit of the instance, is the sum of these rows. Counting 50,000 features took 2.5
-- to 6 ms per creation; this takes 0.04 ms, and 0.005 ms for the trigger. Archiving adds a row and waits for nobody.
-- Creating features takes an advisory lock and folds the rows into one.
create table active_feature_counts (features integer not null);
insert into active_feature_counts values (0);

create function count_active_features() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into active_feature_counts select count(*) from came where archived_at is null;
  elsif tg_op = 'DELETE' then
    insert into active_feature_counts select -count(*) from went where archived_at is null having count(*) > 0;
  else
    insert into active_feature_counts
    select change from (
      select (select count(*) from came where archived_at is null)
        - (select count(*) from went where archived_at is null) as change
    ) as counted where change <> 0;
  end if;
  return null;
end $$;
create trigger features_counted_in after insert on features referencing new table as came
  for each statement execute function count_active_features();
create trigger features_counted_again after update on features referencing new table as came old table as went
  for each statement execute function count_active_features();
create trigger features_counted_out after delete on features referencing old table as went
  for each statement execute function count_active_features();

create table feature_environments (
  feature_name text not null references features on update cascade on delete cascade,
  environment text not null references environments on delete cascade,
  enabled boolean not null default false,
  variants jsonb not null default '[]',
  last_seen_at timestamptz,
  switched_at timestamptz not null default now(),
  first_enabled_at timestamptz,
  primary key (feature_name, environment)
);
-- Features that are enabled in an environment, without reading the rows of feature_environments.
create index feature_environments_enabled_idx on feature_environments (environment, enabled, feature_name);

-- A trigger writes switched_at and first_enabled_at, so that no way to enable a feature can forget them.
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

create table feature_strategies (
  id uuid primary key default gen_random_uuid(),
  feature_name text not null,
  environment text not null,
  strategy_name text not null references strategies,
  title text,
  disabled boolean not null default false,
  sort_order integer not null,
  parameters jsonb not null default '{}',
  constraints jsonb not null default '[]',
  variants jsonb not null default '[]',
  created_at timestamptz not null default now(),
  constraint feature_strategies_environment_fkey foreign key (feature_name, environment)
    references feature_environments on update cascade on delete cascade
);
create index feature_strategies_feature_idx on feature_strategies (feature_name, environment, sort_order);
create index feature_strategies_strategy_name_idx on feature_strategies (strategy_name);
-- Strategies that constrain a context field: constraints @> '[{"contextName": "userId"}]'.
create index feature_strategies_constraints_idx on feature_strategies using gin (constraints jsonb_path_ops);

create table feature_strategy_segments (
  strategy_id uuid not null references feature_strategies on delete cascade,
  segment_id integer not null references segments,
  primary key (strategy_id, segment_id)
);
create index feature_strategy_segments_segment_idx on feature_strategy_segments (segment_id);

-- The strategies of a feature as JSON text, per environment that has any, in the form the API sends. Composing the text of the
-- 60,000 strategies of 10,000 features for each report cost 320 ms of 750; triggers keep it current. It is a table of its own,
-- because rows of feature_environments are rewritten whenever an SDK is seen. There is one row per feature and no compression,
-- because that is one page to read.
create table strategy_texts (
  feature_name text primary key references features on update cascade on delete cascade,
  environments text[] not null,
  fields text[] not null,
  any_enabled boolean[] not null
) with (toast_tuple_target = 8160);

-- The text is composed in the statement itself: a function called for each row took five times as long.
create function write_strategy_texts(changed text[]) returns void language sql as $$
  delete from strategy_texts where feature_name = any(changed);
  insert into strategy_texts (feature_name, environments, fields, any_enabled)
  select feature_name, array_agg(environment),
    array_agg('"hasStrategies":true,"hasEnabledStrategies":' || any_enabled || ',"strategies":[' || strategies || ']'),
    array_agg(any_enabled)
  from (
    select feature_name, environment, bool_or(not disabled) as any_enabled,
      string_agg(
        '{"id":"' || id || '","name":' || to_json(strategy_name) || coalesce(',"title":' || to_json(title), '')
        || ',"disabled":' || disabled || ',"featureName":' || to_json(feature_name) || ',"sortOrder":' || sort_order
        || ',"segments":[' || array_to_string(array(
          select segment_id from feature_strategy_segments where strategy_id = id order by segment_id
        ), ',') || '],"constraints":' || constraints || ',"variants":' || variants || ',"parameters":' || parameters || '}',
        ',' order by sort_order, created_at, id
      ) as strategies
    from feature_strategies where feature_name = any(changed)
    group by feature_name, environment
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

insert into feature_types (id, name, description, lifetime_days) values
  ('release', 'Release', 'Brings a change to users step by step, then goes away', 40),
  ('experiment', 'Experiment', 'Compares variants until one has won', 40),
  ('operational', 'Operational', 'Guides a piece of operations work, such as a migration', 7),
  ('kill-switch', 'Kill switch', 'Turns something off when it misbehaves; kept for good', null),
  ('permission', 'Permission', 'Decides who may use something; kept for good', null),
  ('sunset', 'Sunset', 'Takes something away from users step by step', 90);

insert into strategies (name, display_name, description, parameters, built_in, sort_order) values
  ('flexibleRollout', 'Gradual rollout', 'Rolls out to a share of users, the same ones every time',
    '[{"name": "rollout", "type": "percentage", "description": "Share of users, 0 to 100", "required": false},
      {"name": "stickiness", "type": "string", "description": "What decides whether a user keeps the same answer", "required": false},
      {"name": "groupId", "type": "string", "description": "Flags with the same group pick the same users", "required": false}]',
    true, 0),
  ('default', 'Standard', 'On for everyone', '[]', true, 1),
  ('remoteAddress', 'IP addresses', 'On for the listed addresses',
    '[{"name": "IPs", "type": "list", "description": "Addresses or ranges, separated by commas", "required": true}]', true, 2),
  ('applicationHostname', 'Hosts', 'On for the listed host names',
    '[{"name": "hostNames", "type": "list", "description": "Host names, separated by commas", "required": false}]', true, 3);

insert into context_fields (name, description, stickiness, sort_order) values
  ('environment', 'The environment the application runs in', false, 0),
  ('userId', 'Who the user is', true, 1),
  ('appName', 'Name of the application', false, 2),
  ('currentTime', 'The time of the evaluation', false, 3),
  ('sessionId', 'The session of the user', true, 4);

insert into tag_types (name, description, icon) values ('simple', 'A plain word to group flags by', '#');
