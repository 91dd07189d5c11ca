-- Where a copy comes from, and the answers to requests that may be sent again.
-- Adds a table and columns that may be null: the version before goes on beside it.

-- Names as they were when the copy was made, and no reference: the source may be deleted, the copy stays a copy.
alter table features
  add column cloned_from text,
  add column cloned_from_project text,
  add constraint features_cloned_from_check check ((cloned_from is null) = (cloned_from_project is null));
create index features_cloned_from_idx on features (cloned_from) where cloned_from is not null;

-- One row for each Idempotency-Key of a caller. Key and request are kept as HMACs under the caller's own token, so that the
-- table tells nothing about either. `run` is who may settle and answer; `settled_at` is written by the change itself.
create table idempotency_keys (
  key_hash bytea primary key,
  request_hash bytea not null,
  run uuid not null,
  claimed_at timestamptz not null default now(),
  settled_at timestamptz,
  status integer,
  body text
);
create index idempotency_keys_claimed_at_idx on idempotency_keys (claimed_at);
