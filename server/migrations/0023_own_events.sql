-- Adds an index only: the previous version keeps working.

-- Events without a project, by their creator: everybody finds their own.
create index events_own_idx on events (created_by_user_id, id) where project is null;
