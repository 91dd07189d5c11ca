-- replaces 54113fbc2415443f44b3a5f8c2fd8d6fe8cb153fc160d34ca0c8b1be7827d295
-- The people and groups who answer for a flag. The version before does not know the table: a flag, user or group that it deletes takes its rows
-- with it, except that users are only marked as deleted, and reads leave those out.
create table feature_owners (
  feature_name text not null references features on update cascade on delete cascade,
  user_id integer references users on delete cascade,
  group_id integer,
  created_at timestamptz not null default now(),
  constraint feature_owners_kind_check check (num_nonnulls(user_id, group_id) = 1),
  constraint feature_owners_key unique nulls not distinct (feature_name, user_id, group_id)
);
create index feature_owners_user_idx on feature_owners (user_id) where user_id is not null;
create index feature_owners_group_idx on feature_owners (group_id) where group_id is not null;
