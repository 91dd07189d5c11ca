-- SDKs enable a feature that has no strategies for everyone. Since this version the operation that removes or disables the last enabled
-- strategy also disables the feature. This disables the features that earlier versions left enabled without an enabled strategy,
-- and records the same event. A version that runs meanwhile tolerates it: it only sees disabled features.

with disabled as (
  update feature_environments as here set enabled = false
  where here.enabled and not exists (
    select from feature_strategies as strategy
    where strategy.feature_name = here.feature_name and strategy.environment = here.environment
      and not strategy.disabled
  )
  returning here.feature_name, here.environment
), written as (
  insert into events (group_id, type, created_by, created_by_user_id, created_by_kind, project, environment, feature_name, tags)
  select (select gen_random_uuid()::text), 'feature-environment-disabled', 'system', -1337, 'system', features.project,
    disabled.environment, features.name,
    coalesce((
      select jsonb_agg(jsonb_build_object('type', type, 'value', value) order by type, value)
      from feature_tags where feature_tags.feature_name = features.name
    ), '[]')
  from disabled join features on features.name = disabled.feature_name
  order by features.name, disabled.environment
  returning project
)
insert into event_creators (user_id, project)
select distinct -1337, project from written
on conflict do nothing;
