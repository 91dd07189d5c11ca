-- Details of feature flags: tags, dependencies, links, favorites, lifecycle stages and collaborators.

-- No cascade from tags: removing a tag first removes it from each feature, with an event.
create table feature_tags (
  feature_name text not null references features on update cascade on delete cascade,
  type text not null,
  value text not null,
  created_at timestamptz not null default now(),
  primary key (feature_name, type, value),
  constraint feature_tags_tag_fkey foreign key (type, value) references tags on update cascade
);
create index feature_tags_tag_idx on feature_tags (type, value);

-- No cascade from parent: a feature with children cannot be deleted.
create table feature_dependencies (
  child text not null references features on update cascade on delete cascade,
  parent text not null,
  enabled boolean not null default true,
  variants jsonb not null default '[]',
  created_at timestamptz not null default now(),
  primary key (child, parent),
  constraint feature_dependencies_parent_fkey foreign key (parent) references features on update cascade,
  constraint feature_dependencies_self_check check (child <> parent)
);
create index feature_dependencies_parent_idx on feature_dependencies (parent);

create table feature_links (
  id uuid primary key default gen_random_uuid(),
  feature_name text not null references features on update cascade on delete cascade,
  url text not null,
  title text,
  created_at timestamptz not null default now()
);
create index feature_links_feature_idx on feature_links (feature_name, created_at);

create table favorite_features (
  user_id integer not null references users on delete cascade,
  feature_name text not null references features on update cascade on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, feature_name)
);
create index favorite_features_feature_idx on favorite_features (feature_name);
create table favorite_projects (
  user_id integer not null references users on delete cascade,
  project text not null references projects on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, project)
);
create index favorite_projects_project_idx on favorite_projects (project);

-- A feature gets a row per stage it enters; the furthest stage is the current one.
create table feature_lifecycles (
  feature_name text not null references features on update cascade on delete cascade,
  stage text not null,
  entered_at timestamptz not null default now(),
  status text,
  status_value text,
  primary key (feature_name, stage),
  constraint feature_lifecycles_stage_check check (stage in ('initial', 'pre-live', 'live', 'completed', 'archived')),
  constraint feature_lifecycles_status_check check (status in ('kept', 'discarded'))
);

-- Users who changed a feature, so that reading a feature does not read the log.
create table feature_collaborators (
  feature_name text not null references features on update cascade on delete cascade,
  user_id integer not null,
  primary key (feature_name, user_id)
);
