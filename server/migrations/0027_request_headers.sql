-- The headers of the request of each attempt, with secrets masked.
-- Adds a column without a default: the running version is not affected.
alter table integration_attempts add column request_headers jsonb;
