-- Saved views that somebody shared with the members of a project. A new table, which the previous version does not read or write.
create table project_views (
  id integer generated always as identity primary key,
  project text not null references projects on update cascade on delete cascade,
  name text not null,
  page text not null,
  query text not null,
  created_by_user_id integer not null,
  created_at timestamptz not null default now(),
  constraint project_views_name_key unique (project, name)
);
