-- Projects and environments: everything else belongs to them.

create table environments (
  name text primary key,
  type text not null,
  sort_order integer not null,
  enabled boolean not null default true,
  protected boolean not null default false,
  created_at timestamptz not null default now()
);

create table projects (
  id text primary key,
  name text not null,
  description text not null default '',
  mode text not null default 'open',
  default_stickiness text not null default 'default',
  feature_limit integer,
  naming_pattern text,
  naming_example text,
  naming_description text,
  -- A project rejects new features while it has more stale and potentially stale ones than this; null: no budget.
  debt_budget integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  archived_at timestamptz,
  -- When an existing project was made private: earlier stored responses may show what the caller may no longer read.
  private_since timestamptz,
  constraint projects_mode_check check (mode in ('open', 'protected', 'private')),
  constraint projects_feature_limit_check check (feature_limit >= 0),
  constraint projects_debt_budget_check check (debt_budget >= 0)
);

create table project_environments (
  project_id text not null references projects on delete cascade,
  environment_name text not null references environments on delete cascade,
  -- The strategy a feature gets when it is enabled in this environment without strategies.
  default_strategy jsonb,
  primary key (project_id, environment_name)
);
create index project_environments_environment_idx on project_environments (environment_name);

insert into environments (name, type, sort_order) values
  ('development', 'development', 100),
  ('production', 'production', 200);
insert into projects (id, name, description) values ('default', 'Default', 'The project every instance starts with');
insert into project_environments (project_id, environment_name) values
  ('default', 'development'),
  ('default', 'production');
