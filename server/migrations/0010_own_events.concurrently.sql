-- Events without a project, by their creator: every user finds their own.
-- Adds an index: the running version is not affected.
create index concurrently if not exists events_own_idx on events (created_by_user_id, id) where project is null;
