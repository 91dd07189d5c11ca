-- Usage that SDKs report. The tables are new, so the version before neither reads nor writes them. No table here has a foreign key to
-- features or environments: a check of such a key would wait for every change of a flag.

-- The applications that use SDKs. The constraint decides which server is the first to see an application.
create table applications (
  id integer generated always as identity primary key,
  name text not null constraint applications_name_key unique,
  description text,
  url text,
  icon text,
  color text,
  strategies text[] not null default '{}',
  created_at timestamptz not null default now()
);

-- A sample of the running instances of an application. Instances that were not seen for two days are deleted.
create table application_instances (
  application_id integer not null references applications on delete cascade,
  environment text not null,
  instance_id text not null,
  sdk_version text,
  is_frontend boolean not null default false,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null,
  primary key (application_id, environment, instance_id)
) with (fillfactor = 50);
create index application_instances_seen_idx on application_instances (seen_at);

-- Numbers instead of names in the tables below. A feature that is deleted and created again keeps its number.
create table metric_features (
  id integer generated always as identity primary key,
  name text not null constraint metric_features_name_key unique
);
create table metric_environments (
  id integer generated always as identity primary key,
  name text not null constraint metric_environments_name_key unique
);

-- Which application asked for which feature, and when it last did.
create table application_features (
  feature_id integer not null references metric_features,
  application_id integer not null references applications on delete cascade,
  environment_id integer not null references metric_environments,
  seen_at timestamptz not null,
  primary key (feature_id, application_id, environment_id)
) with (fillfactor = 50);
create index application_features_application_idx on application_features (application_id, environment_id);

-- Evaluations by hour and by day. The row with an empty variant counts the feature: yes and no. The other rows count a variant in yes.
-- Servers create the partitions: one for each day of hours, one for each month of days.
create table metric_hours (
  feature_id integer not null,
  environment_id integer not null,
  application_id integer not null,
  hour timestamptz not null,
  variant text not null collate "C",
  yes bigint not null,
  no bigint not null,
  primary key (feature_id, environment_id, application_id, hour, variant)
) partition by range (hour);
create table metric_days (
  feature_id integer not null,
  environment_id integer not null,
  application_id integer not null,
  day date not null,
  variant text not null collate "C",
  yes bigint not null,
  no bigint not null,
  primary key (feature_id, environment_id, application_id, day, variant)
) partition by range (day);

-- The number of the last batch of each server process. A batch whose commit was not confirmed is retried with its number.
create table metric_batches (
  source uuid primary key,
  number bigint not null,
  written_at timestamptz not null default now()
) with (fillfactor = 50);

-- When an SDK last asked for a feature. A table of its own, because writing it into feature_environments rewrites wide rows, fires
-- triggers and waits for changes of the flag. Half-empty pages let PostgreSQL update a row without touching the index.
-- It replaces feature_environments.last_seen_at, which nothing has written. The column stays for one release, because the version before
-- reads it during an upgrade.
create table feature_last_seen (
  feature_name text not null,
  environment text not null,
  seen_at timestamptz not null,
  primary key (feature_name, environment)
) with (fillfactor = 50);

-- Names that applications asked for and that no feature has.
create table unknown_flags (
  name text not null,
  application text not null,
  environment text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null,
  primary key (name, application, environment)
) with (fillfactor = 50);
create index unknown_flags_seen_idx on unknown_flags (seen_at);
