-- What the search over features, and the question where a context field is used, walk along.
-- Indexes only, and one that a better one replaces: the version before goes on beside it.

-- The text that the search looks at; tags have a table of their own. A line feed keeps a match from crossing.
create function feature_text(name text, description text) returns text
  language sql immutable parallel safe
  return name || e'\n' || coalesce(description, '');
create index features_text_idx on features using gin (feature_text(name, description) gin_trgm_ops);

-- Partial: features that are archived gather at the old end, where the default order begins. The first gives a project
-- its page and, index-only, its total and what there is of each type; the second the instance.
create index features_active_project_idx on features (project, created_at, name) include (type, stale)
  where archived_at is null;
create index features_active_idx on features (created_at, name) where archived_at is null;
drop index features_created_at_idx;

-- Which features are on in an environment, without reading the features' rows there.
create index feature_environments_enabled_idx on feature_environments (environment, enabled, feature_name);
drop index feature_environments_environment_idx;

-- Strategies and segments that constrain on a field: constraints @> '[{"contextName": "userId"}]'.
create index feature_strategies_constraints_idx on feature_strategies using gin (constraints jsonb_path_ops);
