import type { ClientSighting, EvaluationCount } from '@halyard/plane/counting/clients.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { iso } from '../../platform/db/iso.ts';
import { findEvent } from '../../record/events/store.ts';
import { isVisibleApplication } from '../applications/store.ts';
import type { EnvironmentReach, MissingInstance } from './schema.ts';

/** The number of instances whose delay is stored, to compute when half of them had the change. */
const MAX_DELAYS = 2_000;
/** An instance that catches up is counted for at most this many of the newest changes. */
const COUNTED_REVISIONS = 500;

/** Records that this process is alive, and whether it had to ignore an instance. */
export async function recordHeartbeat(db: Db, server: string, isIgnoring: boolean): Promise<void> {
  await sql`
    insert into reach_servers as kept (id, ignored_at) values (${server}, case when ${isIgnoring} then now() end)
    on conflict (id) do update set seen_at = now(), stopped_at = null,
      alive_since = case when kept.seen_at < now() - interval '15 seconds' then now() else kept.alive_since end,
      ignored_at = coalesce(excluded.ignored_at, kept.ignored_at)`.execute(db);
}

/** Records that the process has ended. From then on, any other process can decide that an instance is silent. */
export async function markEnded(db: Db, server: string): Promise<void> {
  await sql`
    update reach_servers set seen_at = now() - interval '1 minute', stopped_at = now()
    where id = ${server}`.execute(db);
}

/**
 * Writes the revisions that instances sent back, and counts the instances that got each change. An instance may connect to several
 * servers, so the row of the instance decides whether it is counted. Returns the instances that have no row and were reported
 * without a name.
 */
export async function writeSightings(
  tx: Tx,
  server: string,
  sightings: ClientSighting[],
): Promise<{ token: number; id: string }[]> {
  const { rows } = await sql<{ token: number; id: string }>`
    with given as materialized (
      select token, id, environment, projects, application, instance, given.epoch, revision, "isExact", "isStreaming", "interval",
        now() - make_interval(secs => age) as seen_at, given.epoch = (select id from database_epoch) as is_current
      from jsonb_to_recordset(${JSON.stringify(sightings)}::jsonb) as given (
        token integer, id text, environment text, projects text[], application text, instance text, epoch text,
        revision integer, "isExact" boolean, "isStreaming" boolean, "interval" integer, age float8)
    ), before as materialized (
      select kept.token_id, kept.connection_id, kept.epoch, kept.revision
      from reach_instances as kept join given on kept.token_id = token and kept.connection_id = given.id
      order by kept.token_id, kept.connection_id for update of kept
    ), updated as (
      update reach_instances as kept set
        environment = given.environment, projects = given.projects, is_streaming = "isStreaming",
        seen_at = greatest(kept.seen_at, given.seen_at), server_id = ${server}, interval_seconds = "interval",
        application = coalesce(given.application, kept.application),
        instance = coalesce(given.instance, kept.instance),
        epoch = case when is_current and (given.revision > 0 or "isExact") then given.epoch else kept.epoch end,
        revision = case
          when not is_current then kept.revision
          when "isExact" then given.revision
          when kept.epoch = given.epoch then greatest(kept.revision, given.revision)
          when given.revision > 0 then given.revision
          else kept.revision end
      from given where kept.token_id = token and kept.connection_id = given.id
    ), inserted as (
      insert into reach_instances (token_id, connection_id, environment, projects, application, instance, epoch, revision,
        is_streaming, interval_seconds, seen_at, server_id)
      select token, given.id, environment, projects, application, instance, epoch,
        case when is_current then revision else 0 end, "isStreaming", "interval", seen_at, ${server}
      from given
      where application is not null
        and not exists (select from before where token_id = token and connection_id = given.id)
      order by token, given.id
      -- Another server saw the instance at the same moment.
      on conflict (token_id, connection_id) do update set seen_at = greatest(reach_instances.seen_at, excluded.seen_at),
        revision = greatest(excluded.revision, reach_instances.revision)
        where reach_instances.epoch = excluded.epoch
    ), advanced as materialized (
      -- Both bounds in one table, because only then does PostgreSQL use both to search the index.
      select given.*, greatest(before.revision, given.revision - ${COUNTED_REVISIONS}) as previous_revision
      from given join before on token_id = token and connection_id = given.id and before.epoch = given.epoch
        and before.revision > 0
      where is_current
    ), passed as (
      select published.environment, published.revision, array_agg(seen_at order by seen_at) as times
      from advanced join sdk_publications as published on published.environment = advanced.environment
        and published.revision > advanced.previous_revision and published.revision <= advanced.revision
        and (published.projects is null or advanced.projects is null or published.projects && advanced.projects)
      group by published.environment, published.revision
    ), locked as materialized (
      select published.environment, published.revision from sdk_publications as published
        join passed using (environment, revision)
      order by published.environment, published.revision for no key update of published
    ), counted as (
      update sdk_publications as published set
        instances = instances + cardinality(times), first_at = least(first_at, greatest(published_at, times[1])),
        last_at = greatest(last_at, published_at, times[cardinality(times)]),
        delays = (delays || array(
          select greatest(0, extract(epoch from one - published_at) * 1000)::integer from unnest(times) as one
        ))[1:${MAX_DELAYS}]
      from passed join locked using (environment, revision)
      where published.environment = passed.environment and published.revision = passed.revision
    )
    select token, given.id from given
    where application is null
      and not exists (select from before where token_id = token and connection_id = given.id)`.execute(tx);
  return rows;
}

/** Adds the number of requests from browsers to the revisions that were served to them. */
export async function addRequests(tx: Tx, requests: EvaluationCount[]): Promise<void> {
  await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb)
        as given (environment text, revision integer, requests bigint)
    ), locked as materialized (
      select published.environment, published.revision from sdk_publications as published
        join given using (environment, revision)
      order by published.environment, published.revision for no key update of published
    )
    update sdk_publications as published set requests = published.requests + given.requests
    from given join locked using (environment, revision)
    where published.environment = given.environment and published.revision = given.revision`.execute(tx);
}

type Change = { groupId: string; environment: string | null };

/** Finds the change and the environment, if any, of an event the caller can see. */
export async function findChange(db: Reader, actor: Actor, id: number): Promise<Change | undefined> {
  return await findEvent(db, actor, id);
}

export type ReachParts = {
  environments: Omit<EnvironmentReach, 'state'>[];
  instances: MissingInstance[];
  total: number;
  /** Whether every instance is known, because no server or edge may serve unknown ones. */
  isComplete: boolean;
};

/** Whether the change concerns the instance. */
const CONCERNS_INSTANCE = sql<boolean>`published.environment = present.environment
  and (published.projects is null or present.projects is null or published.projects && present.projects)`;

/**
 * A server that had no room for an instance may serve unknown instances. So may an edge that has not reported since it got the
 * change, because the instances that it served before are in its next report. An edge that has been silent for an hour counts as
 * replaced if its token has an edge that started later.
 */
const IS_COMPLETE = sql<boolean>`not exists (
  select from reach_servers where ignored_at > now() - interval '5 minutes'
) and not exists (
  select from edges join api_tokens on api_tokens.id = edges.token_id
    join published on published.environment = api_tokens.environment
  where stopped_at is null and revoked_at is null
    and (edges.seen_at < now() - interval '15 seconds' or edges.revision < published.revision
      or edges.epoch <> (select id from database_epoch))
    and (edges.seen_at > now() - interval '1 hour' or not exists (
      select from edges as later where later.token_id = edges.token_id and later.created_at > edges.seen_at
        and later.seen_at > now() - interval '15 seconds'
    ))
)`;

/** Reads in one statement how far a change has spread, and a page of the instances that are behind. */
export async function findReach(
  db: Reader,
  actor: Actor,
  { groupId, environment }: Change,
  { limit, offset }: { limit: number; offset: number },
): Promise<ReachParts> {
  const countKnown = (condition: RawBuilder<unknown>) => sql`(
    select count(*) from known where known.environment = published.environment and ${condition}
  )`;
  const { rows } = await sql<ReachParts>`
    with published as materialized (
      select * from sdk_publications
      where change_id = ${groupId} and (${environment}::text is null or environment = ${environment})
    ), known as materialized (
      select present.*, present.revision >= published.revision as is_live
      from published join reach_current as present on ${CONCERNS_INSTANCE}
    ), page as (
      select * from known where not is_live
      order by environment, application, instance, token_id, connection_id limit ${limit} offset ${offset}
    )
    select coalesce((
      select jsonb_agg(jsonb_build_object(
        'environment', environment, 'revision', revision, 'publishedAt', ${iso(sql`published_at`)},
        'instances', ${countKnown(sql`true`)}, 'live', ${countKnown(sql`is_live`)},
        'unconfirmed', ${countKnown(sql`not is_live and is_streaming`)},
        'behind', ${countKnown(sql`not is_live and not is_streaming`)},
        'firstAt', ${iso(sql`first_at`)}, 'halfAt', ${iso(sql`(published_at + make_interval(secs => (
          select delay from unnest(delays) as delay order by delay
          limit 1 offset greatest((published.instances + 1) / 2 - 1, 0)
        ) / 1000.0))`)}, 'lastAt', ${iso(sql`last_at`)},
        'requests', (
          select sum(later.requests) from sdk_publications as later
          where later.environment = published.environment and later.revision >= published.revision
        )
      ) order by environment) from published
    ), '[]') as environments,
    (select count(*) from known where not is_live) as total,
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'application', case when ${isVisibleApplication(actor)} then application end,
        'instance', case when ${isVisibleApplication(actor)} then instance end,
        'environment', environment, 'revision', page.revision, 'streaming', is_streaming,
        'lastContactAt', ${iso(sql`page.seen_at`)}
      ) order by environment, application, instance, page.token_id, connection_id)
      from page left join applications on applications.name = page.application
    ), '[]') as instances, ${IS_COMPLETE} as "isComplete"`.execute(db);
  const [parts] = rows;
  if (!parts) throw new Error('PostgreSQL returned no reach');
  return parts;
}

/**
 * For the next 5 seconds, makes servers end streams whose clients have not confirmed these revisions, so that the clients reconnect
 * and send their revision.
 */
export async function requestConfirmations(
  db: Db | Reader,
  positions: Pick<EnvironmentReach, 'environment' | 'revision'>[],
) {
  await sql`
    insert into reach_questions as kept (environment, revision, until)
    select environment, revision, now() + interval '5 seconds'
    from jsonb_to_recordset(${JSON.stringify(positions)}::jsonb) as given (environment text, revision integer)
    order by environment
    on conflict (environment) do update set until = excluded.until,
      revision = case when kept.until > now() then greatest(kept.revision, excluded.revision)
        else excluded.revision end`.execute(db);
}

/** Lists the revisions that callers are waiting for. */
export async function listAwaitedRevisions(db: Reader): Promise<{ environment: string; revision: number }[]> {
  const { rows } = await sql<{ environment: string; revision: number }>`
    select environment, revision from reach_questions where until > now()`.execute(db);
  return rows;
}

/** Deletes what is no longer needed: instances that are gone, servers that have ended, and old changes. */
export async function deleteOutdatedReach(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with instances as (
      delete from reach_instances as kept where kept.seen_at < now() - interval '10 minutes'
        and not exists (select from reach_current as present
          where present.token_id = kept.token_id and present.connection_id = kept.connection_id)
      returning 1
    ), servers as (
      delete from reach_servers where seen_at < now() - interval '1 day'
        and not exists (select from reach_instances where server_id = reach_servers.id)
      returning 1
    ), publications as (
      delete from sdk_publications where (environment, revision) in (
        select environment, revision from sdk_publications
        where published_at < now() - interval '30 days' order by published_at limit 10000
      ) returning 1
    )
    select (select count(*) from instances) + (select count(*) from servers)
      + (select count(*) from publications) as count`.execute(db);
  return rows[0]?.count ?? 0;
}
