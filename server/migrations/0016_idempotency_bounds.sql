-- What replays of stored responses need: the caller's access at the time, and how much each caller has stored.
-- Adds columns with constant defaults, a table and an index only: the previous version keeps working.

-- Hashes of the roles that the caller held, each with its project and its permissions. A replay needs all of them.
alter table idempotency_keys add column access bigint[] not null default '{}';

-- Counted until ends_at, then from zero again.
create table idempotency_usage (
  owner bytea primary key,
  keys integer not null,
  bytes bigint not null default 0,
  ends_at timestamptz not null
);
create index idempotency_usage_ends_at_idx on idempotency_usage (ends_at);

-- When an existing project was made private: responses from before may show what the caller may not read any more.
alter table projects add column private_since timestamptz;
