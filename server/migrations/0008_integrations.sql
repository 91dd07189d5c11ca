-- Integrations, their deliveries, and every attempt to deliver.

create table integrations (
  id integer generated always as identity primary key,
  provider text not null,
  description text,
  enabled boolean not null default true,
  -- Sensitive parameters are in sealed_parameters, encrypted as one JSON object (secrets/seal.ts).
  parameters jsonb not null default '{}',
  sealed_parameters text,
  -- Filters. An empty list does not filter; '*' in events means every type.
  events text[] not null,
  projects text[] not null default '{}',
  environments text[] not null default '{}',
  events_without_project boolean not null default false,
  ordered boolean not null default false,
  when_given_up text not null default 'skip',
  sealed_secret text,
  sealed_old_secret text,
  old_secret_until timestamptz,
  -- Start and number of failures in a row, and when the warning about them was recorded. A success resets all three.
  failing_since timestamptz,
  failed_attempts integer not null default 0,
  warned_at timestamptz,
  disabled_at timestamptz,
  disabled_because text,
  created_at timestamptz not null default now(),
  constraint integrations_when_given_up_check check (when_given_up in ('skip', 'hold'))
);

-- No foreign key to integrations: a change must neither fail nor wait because somebody is deleting an integration. The
-- clean-up job removes the deliveries of deleted integrations.
create table integration_deliveries (
  id bigint generated always as identity primary key,
  integration_id integer not null,
  event_id bigint not null,
  -- The webhook-id header, the same on every attempt.
  webhook_id text not null default 'dlv_' || replace(gen_random_uuid()::text, '-', ''),
  state text not null default 'pending',
  state_details text not null default '',
  details jsonb not null default '{}',
  -- Attempts started, and attempts failed since the delivery was last sent or redelivered.
  attempts integer not null default 0,
  failures integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  replay_of bigint,
  is_test boolean not null default false,
  -- Exhausted, and blocks the later deliveries of its ordered integration until somebody decides.
  holds boolean not null default false,
  constraint integration_deliveries_state_check
    check (state in ('pending', 'retrying', 'success', 'successWithErrors', 'failed'))
);
create index integration_deliveries_page_idx on integration_deliveries (integration_id, id desc);
create index integration_deliveries_state_idx on integration_deliveries (integration_id, state, id desc);
create index integration_deliveries_event_idx on integration_deliveries (integration_id, event_id);
create index integration_deliveries_open_idx on integration_deliveries (due_at)
  where state in ('pending', 'retrying');
create index integration_deliveries_turn_idx on integration_deliveries (integration_id, event_id)
  where state in ('pending', 'retrying') or holds;

create table integration_attempts (
  delivery_id bigint not null
    constraint integration_attempts_delivery_fkey references integration_deliveries on delete cascade,
  number integer not null,
  started_at timestamptz not null default now(),
  -- Null while the attempt is running.
  outcome text,
  duration_ms integer,
  status integer,
  address text,
  error text,
  answer text,
  headers jsonb,
  body_sha256 text,
  constraint integration_attempts_pkey primary key (delivery_id, number)
);

-- The queue must exist before the first event: pg-boss silently drops a job for a missing queue.
select pgboss.create_queue('deliver', '{
  "policy": "standard", "retryLimit": 50, "retryDelay": 0, "retryBackoff": false, "expireInSeconds": 120,
  "retentionSeconds": 1209600, "deleteAfterSeconds": 3600, "heartbeatSeconds": 10, "partition": false,
  "warningQueueSize": 0, "notify": false
}'::jsonb);
