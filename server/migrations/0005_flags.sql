-- Flags and what they are made of. Names of features are unique over the instance, archived ones included.
-- Adds tables only: the version before goes on beside it.

create table feature_types (
  id text primary key,
  name text not null,
  description text not null,
  lifetime_days integer,
  constraint feature_types_lifetime_check check (lifetime_days > 0)
);
insert into feature_types (id, name, description, lifetime_days) values
  ('release', 'Release', 'Brings a change to users step by step, then goes away', 40),
  ('experiment', 'Experiment', 'Compares variants until one has won', 40),
  ('operational', 'Operational', 'Guides a piece of operations work, such as a migration', 7),
  ('kill-switch', 'Kill switch', 'Turns something off when it misbehaves; kept for good', null),
  ('permission', 'Permission', 'Decides who may use something; kept for good', null),
  ('sunset', 'Sunset', 'Takes something away from users step by step', 90);

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

create table features (
  name text primary key,
  project text not null references projects,
  type text not null references feature_types,
  description text,
  stale boolean not null default false,
  impression_data boolean not null default false,
  created_at timestamptz not null default now(),
  created_by_user_id integer,
  archived_at timestamptz
);
create index features_project_idx on features (project, name);
create index features_created_at_idx on features (created_at, name);

create table feature_environments (
  feature_name text not null references features on update cascade on delete cascade,
  environment text not null references environments on delete cascade,
  enabled boolean not null default false,
  variants jsonb not null default '[]',
  last_seen_at timestamptz,
  primary key (feature_name, environment)
);
create index feature_environments_environment_idx on feature_environments (environment);

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

create table feature_strategy_segments (
  strategy_id uuid not null references feature_strategies on delete cascade,
  segment_id integer not null references segments,
  primary key (strategy_id, segment_id)
);
create index feature_strategy_segments_segment_idx on feature_strategy_segments (segment_id);

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

-- What a feature gets in an environment that is switched on without strategies.
alter table project_environments add column default_strategy jsonb;
