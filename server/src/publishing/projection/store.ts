import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';

/** A stored document that differs from what its rows produce. */
export type Difference = { kind: 'feature' | 'segment'; environment: string; key: string };

/** Lists names of flags that exist or have a stored document, in order, after `name`. */
export async function listNamesAfter(db: Reader, name: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from (
      (select name from features where name > ${name} order by name limit ${limit})
      union
      (select name from sdk_features where name > ${name} and document is not null order by name limit ${limit})
    ) as either order by name limit ${limit}`.execute(db);
  return rows.map(row => row.name);
}

/** Lists the flags' documents that differ from what their rows produce. A single statement does not see open changes. */
export async function listFeatureDifferences(db: Reader, names: string[]): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with built as materialized (
      select * from sdk_built_features where name = any(${names})
    ), stored as materialized (
      select * from sdk_features where name = any(${names}) and document is not null
    )
    select 'feature' as kind, environment, name as key
    from built full join stored using (environment, project, name)
    where built.document is distinct from stored.document or built.segments is distinct from stored.segments
      or built.tags is distinct from stored.tags
    order by name, environment`.execute(db);
  return rows;
}

/** Lists the segments' documents that differ from what their rows produce. */
export async function listSegmentDifferences(db: Reader): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with built as materialized (select * from sdk_built_segments),
    stored as materialized (select * from sdk_segments where document is not null)
    select 'segment' as kind, environment, id::text as key
    from built full join stored using (environment, id)
    where built.document is distinct from stored.document
    order by id, environment`.execute(db);
  return rows;
}

/** Marks documents, so that they are rebuilt when the transaction commits. */
export async function markForRebuild(tx: Tx, documents: Pick<Difference, 'kind' | 'key'>[]): Promise<void> {
  const rows = JSON.stringify(documents);
  await sql`
    insert into sdk_rebuilds (kind, key)
    select kind, key from jsonb_to_recordset(${rows}::jsonb) as given (kind text, key text)
    on conflict do nothing`.execute(tx);
  await sql`
    delete from sdk_rebuilds using jsonb_to_recordset(${rows}::jsonb) as given (kind text, key text)
    where sdk_rebuilds.kind = given.kind and sdk_rebuilds.key = given.key`.execute(tx);
}

/** Lists the environments that have removed documents older than this many days. */
export async function listPurgeable(db: Reader, days: number): Promise<string[]> {
  const { rows } = await sql<{ environment: string }>`
    select environment from sdk_features where removed_at < now() - ${days} * interval '1 day'
    union
    select environment from sdk_segments where removed_at < now() - ${days} * interval '1 day'
    order by environment`.execute(db);
  return rows.map(row => row.environment);
}

/** Locks the counter of an environment, so that no change of the environment commits until the transaction ends. */
export async function lockRevision(tx: Tx, environment: string): Promise<void> {
  await sql`select from sdk_revisions where environment = ${environment} for update`.execute(tx);
}

/**
 * Deletes the oldest removed documents of an environment, and returns how many. A client with an earlier revision than theirs then
 * reads everything.
 */
export async function deleteRemoved(
  tx: Tx,
  environment: string,
  days: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with features as (
      delete from sdk_features where (name, environment, project) in (
        select name, environment, project from sdk_features
        where environment = ${environment} and removed_at < now() - ${days} * interval '1 day'
        order by removed_at limit ${limit}
      ) returning revision
    ), segments as (
      delete from sdk_segments where (environment, id) in (
        select environment, id from sdk_segments
        where environment = ${environment} and removed_at < now() - ${days} * interval '1 day'
        order by removed_at limit ${limit}
      ) returning revision
    ), gone as (
      select revision from features union all select revision from segments
    ), raised as (
      update sdk_revisions set complete_since = greatest(complete_since, (select max(revision) from gone))
      where environment = ${environment} and exists (select from gone)
    )
    select count(*) as count from gone`.execute(tx);
  return rows[0]?.count ?? 0;
}
