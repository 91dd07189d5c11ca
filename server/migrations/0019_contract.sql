-- What the health report computes from the log. The version that is running meanwhile is not affected.

-- Features created, archived and enabled in a project, by time.
create index events_project_milestones_idx on events (project, type, created_at) include (feature_name)
  where type in ('feature-created', 'feature-archived', 'feature-environment-enabled');
-- The first activation of a feature.
create index events_feature_enabled_idx on events (feature_name, id)
  where type = 'feature-environment-enabled';
drop index feature_environments_first_enabled_idx;
