-- The health of a project reads the features that were archived last, however many there are.
-- Adds an index only: the running version is not affected.
create index concurrently if not exists features_archived_project_idx on features (project, archived_at) where archived_at is not null;
