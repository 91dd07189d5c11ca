import type { EdgeReport } from '@halyard/plane/feed/report.ts';
import { sql } from 'kysely';
import { isVisibleToken } from '../../people/api-tokens/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import type { Edge } from './schema.ts';

/** The maximum number of edges per token. An edge without a data folder gets a new id at each start. */
export const MAX_EDGES_PER_TOKEN = 1_000;
const MAX_LISTED_EDGES = 2_000;

/** Records what an edge reports about itself. Returns false if its token has too many edges. */
export async function upsertEdge(db: Db, id: string, token: number, report: EdgeReport): Promise<boolean> {
  return (await updateEdge(db, id, report)) || (await insertEdge(db, id, token, report));
}

async function updateEdge(
  db: Db,
  id: string,
  { version, epoch, revision, age, clients, isStopping }: EdgeReport,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update edges set version = ${version}, epoch = ${epoch}, revision = ${revision}, age_seconds = ${age},
      clients = ${clients}, seen_at = now(), stopped_at = case when ${isStopping} then now() end
    where id = ${id} returning id`.execute(db);
  return rows.length > 0;
}

async function insertEdge(
  db: Db,
  id: string,
  token: number,
  { version, epoch, revision, age, clients, isStopping }: EdgeReport,
): Promise<boolean> {
  return await db.transaction().execute(async tx => {
    // Locks the token, so that edges that start simultaneously are counted one at a time.
    await sql`select from api_tokens where id = ${token} for no key update`.execute(tx);
    const { rows } = await sql<{ id: string }>`
      insert into edges (id, token_id, version, epoch, revision, age_seconds, clients, stopped_at)
      select ${id}, ${token}, ${version}, ${epoch}, ${revision}, ${age}, ${clients}, case when ${isStopping} then now() end
      where (select count(*) from edges where token_id = ${token}) < ${MAX_EDGES_PER_TOKEN}
      on conflict (id) do update set seen_at = now()
      returning id`.execute(tx);
    return rows.length > 0;
  });
}

/** Lists the edges whose token is visible to the actor and not revoked. */
export async function listEdges(db: Reader, actor: Actor, types: readonly string[]): Promise<Edge[]> {
  const { rows } = await sql<Edge>`
    select edges.id, api_tokens.id as "tokenId", api_tokens.name as "tokenName", coalesce(api_tokens.environment, '') as environment,
      case when all_projects then array['*'] else array(
        select project_id from api_token_projects where token_id = api_tokens.id order by project_id
      ) end as projects,
      version, edges.revision,
      greatest(0, coalesce(published.revision, 0)
        - case when edges.epoch = (select id from database_epoch) then edges.revision else 0 end) as behind,
      age_seconds + extract(epoch from now() - edges.seen_at)::float8 as age, clients as instances,
      case when stopped_at is not null then 'stopped' when edges.seen_at > now() - interval '15 seconds' then 'connected'
        else 'silent' end as state,
      edges.created_at as "createdAt", edges.seen_at as "seenAt"
    from edges join api_tokens on api_tokens.id = token_id
      left join sdk_revisions as published on published.environment = api_tokens.environment
    where revoked_at is null and type = any(${types}) and ${isVisibleToken(actor)}
    order by api_tokens.environment, api_tokens.name, edges.id limit ${MAX_LISTED_EDGES}`.execute(db);
  return rows;
}

/** Deletes edges that have been silent for a day, or whose token was revoked an hour ago. */
export async function deleteOutdatedEdges(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from edges where seen_at < now() - interval '1 day'
      or token_id in (select id from api_tokens where revoked_at < now() - interval '1 hour')`.execute(db);
  return Number(numAffectedRows);
}
