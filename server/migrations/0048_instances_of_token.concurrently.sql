-- Reads the applications of a token while its page waits for the first one. Adds an index only: the running version is not affected.
create index concurrently if not exists application_instances_token_idx on application_instances (token_id) where token_id is not null;
