-- Deliveries of one event over all integrations, and open or failed deliveries over all integrations. The index by event replaces
-- the index by integration and event: every statement that used it names both columns.
-- Changes indexes only: the running version is not affected.
create index concurrently if not exists integration_deliveries_of_event_idx on integration_deliveries (event_id, integration_id);
create index concurrently if not exists integration_deliveries_unfinished_idx on integration_deliveries (state, id desc)
  where state <> 'success';
drop index concurrently if exists integration_deliveries_event_idx;
