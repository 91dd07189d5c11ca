-- Edges: processes near the applications that serve SDKs without a database (docs/decisions/0031-edge.md). A token of type edge
-- names an environment and projects, and so the feed. The version that is running rejects such a token everywhere.
alter table api_tokens drop constraint api_tokens_type_check;
alter table api_tokens
  add constraint api_tokens_type_check check (type in ('admin', 'client', 'backend', 'frontend', 'edge')) not valid;

-- The edges that reported, with what they serve. An edge is also a row of reach_servers with the same id.
create table edges (
  id text primary key,
  token_id integer not null references api_tokens on delete cascade,
  version text not null,
  epoch text not null,
  revision integer not null,
  -- Seconds since the edge knew that this was current, when it reported.
  age_seconds double precision not null,
  clients integer not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  stopped_at timestamptz
);
create index edges_token_id_idx on edges (token_id);

-- As before, but an edge hears only of its own clients, so it cannot tell that those of a killed server are silent. Those of an
-- edge that is silent itself are remembered for an hour: it may still serve them.
create or replace view reach_current as
with judges as materialized (
  select id, seen_at > now() - interval '15 seconds' as is_alive, case
    when seen_at > now() - interval '15 seconds' then alive_since
    when stopped_at is not null then (
      select min(alive_since) from reach_servers where seen_at > now() - interval '15 seconds'
    )
    when id in (select id from edges) then case when seen_at < now() - interval '1 hour' then seen_at end
    else (
      select min(other.alive_since) from reach_servers as other
      where other.seen_at > now() - interval '15 seconds' and other.started_at > reach_servers.seen_at
        and other.id not in (select id from edges)
    )
  end as listening_since
  from reach_servers
)
select reach_instances.token_id, connection_id, environment, projects, application, instance,
  case when epoch = (select id from database_epoch) then revision else 0 end as revision,
  is_streaming and is_alive as is_streaming, reach_instances.seen_at
from reach_instances join judges on judges.id = reach_instances.server_id
-- Without a server that listens, nobody can tell.
where listening_since is null
  or greatest(reach_instances.seen_at, listening_since) > now() - make_interval(secs => case
    -- A program that reads the flags once and ends.
    when revision = 0 and not is_streaming then 60
    else greatest(300, 10 * interval_seconds)
  end);
