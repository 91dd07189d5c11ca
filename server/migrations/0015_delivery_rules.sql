-- Ordered integrations that hold when a delivery is given up, a warning before an integration is switched off, and the
-- headers of answers. Adds columns and an index only: the version before goes on beside it, and skips instead of holding.

alter table integrations
  add column when_given_up text not null default 'skip'
    constraint integrations_when_given_up_check check (when_given_up in ('skip', 'hold')),
  -- When it was told that nothing but failures came back; null again after a success.
  add column warned_at timestamptz;

-- Given up, and nothing behind it is delivered until somebody decides.
alter table integration_deliveries add column holds boolean not null default false;
create index integration_deliveries_turn_idx on integration_deliveries (integration_id, event_id)
  where state in ('pending', 'retrying') or holds;

alter table integration_attempts add column headers jsonb;
