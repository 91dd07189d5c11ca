-- Integrations, what is delivered to them, and every attempt to deliver it.
-- Adds tables and a queue only: a server of the version before goes on, its events just reach no integration.

create table integrations (
  id integer generated always as identity primary key,
  provider text not null,
  description text,
  enabled boolean not null default true,
  -- The parameters anybody may see; the sensitive ones are encrypted, as one JSON object (secrets/seal.ts).
  parameters jsonb not null default '{}',
  sealed_parameters text,
  -- Filters: an empty list is no filter; '*' among events means every type.
  events text[] not null,
  projects text[] not null default '{}',
  environments text[] not null default '{}',
  events_without_project boolean not null default false,
  ordered boolean not null default false,
  sealed_secret text,
  sealed_old_secret text,
  old_secret_until timestamptz,
  -- Since when nothing but failures, and how many; null and 0 after a success.
  failing_since timestamptz,
  failed_attempts integer not null default 0,
  disabled_at timestamptz,
  disabled_because text,
  created_at timestamptz not null default now()
);

-- No foreign key to integrations: the transaction of an event must neither fail nor wait because an integration is
-- just being deleted. What is left of a deleted one is removed by the clean-up job.
create table integration_deliveries (
  id bigint generated always as identity primary key,
  integration_id integer not null,
  event_id bigint not null,
  -- What the receiver sees as webhook-id, the same on every attempt.
  webhook_id text not null default 'dlv_' || replace(gen_random_uuid()::text, '-', ''),
  state text not null default 'pending'
    constraint integration_deliveries_state_check
    check (state in ('pending', 'retrying', 'success', 'successWithErrors', 'failed')),
  state_details text not null default '',
  details jsonb not null default '{}',
  -- How many attempts were started, and how many of them failed since it was last (re)sent.
  attempts integer not null default 0,
  failures integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  replay_of bigint,
  is_test boolean not null default false
);
create index integration_deliveries_page_idx on integration_deliveries (integration_id, id desc);
create index integration_deliveries_state_idx on integration_deliveries (integration_id, state, id desc);
create index integration_deliveries_event_idx on integration_deliveries (integration_id, event_id);
create index integration_deliveries_open_idx on integration_deliveries (due_at)
  where state in ('pending', 'retrying');
create index integration_deliveries_head_idx on integration_deliveries (integration_id, event_id)
  where state in ('pending', 'retrying');

create table integration_attempts (
  delivery_id bigint not null
    constraint integration_attempts_delivery_fkey references integration_deliveries on delete cascade,
  number integer not null,
  started_at timestamptz not null default now(),
  -- Null while the attempt runs.
  outcome text,
  duration_ms integer,
  status integer,
  address text,
  error text,
  answer text,
  body_sha256 text,
  constraint integration_attempts_pkey primary key (delivery_id, number)
);

-- The queue must be there before the first event: a job for a queue that does not exist is dropped in silence.
select pgboss.create_queue('deliver', '{
  "policy": "standard", "retryLimit": 50, "retryDelay": 0, "retryBackoff": false, "expireInSeconds": 120,
  "retentionSeconds": 1209600, "deleteAfterSeconds": 3600, "heartbeatSeconds": 10, "partition": false,
  "warningQueueSize": 0, "notify": false
}'::jsonb);
