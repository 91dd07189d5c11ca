-- Saved views: bookmarks of one user, each a page of the console and its query. A new table, which the previous version does not
-- read or write.

create table user_views (
  id integer generated always as identity primary key,
  user_id integer not null references users on delete cascade,
  name text not null,
  page text not null,
  query text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint user_views_name_key unique (user_id, name)
);
