-- Counts of delivery attempts by integration and hour, so that statistics do not read the attempts. The clean-up job removes old
-- rows. A row is updated with every batch of attempts, so its page has space for the new version.
-- Adds a table: the running version is not affected. Until all servers are updated, attempts of the others are not counted.
create table integration_hours (
  integration_id integer not null,
  hour timestamptz not null,
  delivered integer not null,
  delivered_first integer not null,
  failed integer not null,
  retried integer not null,
  -- Numbers of attempts by duration (delivery/deliveries/durations.ts).
  durations integer[] not null,
  constraint integration_hours_pkey primary key (integration_id, hour)
) with (fillfactor = 70);
