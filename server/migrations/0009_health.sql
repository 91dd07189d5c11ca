-- Health: snoozed findings and the figures of past days.

-- A finding that is snoozed until a time. The row is deleted with the feature or segment it concerns.
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

-- Health of past days, stored when first requested: the events of a past day no longer change.
create table project_health_days (
  project text not null references projects on delete cascade,
  day date not null,
  features integer not null,
  stale integer not null,
  potentially_stale integer not null,
  primary key (project, day)
);
