import {
  type Changes,
  type FoundTokens,
  MAX_ENDED_TOKENS,
  MAX_TOKENS,
  type Positions,
} from '@halyard/plane/serving/source.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Reader } from '../../platform/db/database.ts';
import { EPOCH, EPOCH_ID, type Epoch } from '../../record/epoch/store.ts';

/** An event that identifies the history, because a database without it is not the one that the server read. */
export type HistoryMarker = { id: number; groupId: string };

/** The positions of everything that servers keep in memory. */
export type DatabasePositions = Omit<Positions, 'epoch'> & {
  epoch: Epoch;
  newestEvent: HistoryMarker | null;
  /** Whether the database has the given event. True if none was given. */
  hasMarker: boolean;
};

export async function readPositions(db: Reader, marker?: HistoryMarker): Promise<DatabasePositions> {
  const { rows } = await sql<DatabasePositions>`
    select ${EPOCH} as epoch, now() as now,
      (select revision from sdk_token_revision) as "tokenRevision",
      (select origins from cors_settings) as origins,
      (select json_build_object('id', id, 'groupId', group_id) from events order by id desc limit 1) as "newestEvent",
      ${marker === undefined} or exists (
        select from events where id = ${marker?.id ?? 0} and group_id = ${marker?.groupId ?? ''}
      ) as "hasMarker",
      coalesce((
        select json_agg(json_build_object('environment', environment, 'revision', revision, 'completeSince', complete_since))
        from sdk_revisions
      ), '[]') as environments`.execute(db);
  const [positions] = rows;
  if (!positions) throw new Error('PostgreSQL returned no positions');
  return positions;
}

type ChangeRow = {
  kind: 'environment' | 'feature' | 'segment';
  epoch: string | null;
  completeSince: number | null;
  project: string | null;
  name: string | null;
  id: number | null;
  revision: number;
  document: string | null;
  segments: number[] | null;
  tags: string[] | null;
};

/** Reads all rows in one statement, so that they come from one snapshot and a revision is visible as a whole or not at all. */
export async function readChanges(db: Reader, environment: string, afterRevision: number): Promise<Changes> {
  const { rows } = await sql<ChangeRow>`
    select 'environment' as kind, ${EPOCH_ID} as epoch, coalesce(max(complete_since), 0) as "completeSince",
      null as project, null as name, null::integer as id, coalesce(max(revision), 0) as revision, null as document,
      null::integer[] as segments, null::text[] as tags
    from sdk_revisions where environment = ${environment}
    union all
    select 'feature', null, null, project, name, null, revision, document, segments, tags
    from sdk_features where environment = ${environment} and revision > ${afterRevision}
    union all
    select 'segment', null, null, null, null, id, revision, document, null, null
    from sdk_segments where environment = ${environment} and revision > ${afterRevision}`.execute(db);
  const head = rows.find(row => row.kind === 'environment');
  return {
    epoch: head?.epoch ?? '',
    revision: head?.revision ?? 0,
    completeSince: head?.completeSince ?? 0,
    features: rows.flatMap(({ kind, project, name, revision, document, segments, tags }) =>
      kind === 'feature' && project !== null && name !== null
        ? [{ project, name, revision, document, segments: segments ?? [], tags: tags ?? [] }]
        : [],
    ),
    segments: rows.flatMap(({ kind, id, revision, document }) =>
      kind === 'segment' && id !== null ? [{ id, revision, document }] : [],
    ),
  };
}

/** Lists tokens that are neither revoked nor expired, most recently used first, and the hashes of the most recently ended ones. */
export const listTokens = async (db: Reader): Promise<FoundTokens> =>
  await readTokens(db, sql<boolean>`true`, MAX_ENDED_TOKENS);

/** Finds the tokens with these hashes that are neither revoked nor expired, and the hashes of those that have ended. */
export const findTokens = async (db: Reader, hashes: string[]): Promise<FoundTokens> =>
  await readTokens(
    db,
    sql<boolean>`hash = any(array(select decode(given, 'hex') from unnest(${hashes}::text[]) as given))`,
    hashes.length,
  );

async function readTokens(
  db: Reader,
  condition: RawBuilder<boolean>,
  endedTokens: number,
): Promise<FoundTokens> {
  const { rows } = await sql<FoundTokens>`
    select ${EPOCH_ID} as epoch, revision, array(
      select json_build_object(
        'id', id, 'hash', encode(hash, 'hex'), 'type', type, 'environment', environment,
        'projects', case when not all_projects then array(
          select project_id from api_token_projects where token_id = api_tokens.id order by project_id collate "C"
        ) end,
        'expiresAt', extract(epoch from expires_at) * 1000
      )
      from api_tokens
      where revoked_at is null and (expires_at is null or expires_at > now()) and ${condition}
      order by seen_at desc nulls last, id limit ${MAX_TOKENS}
    ) as tokens, array(
      select encode(hash, 'hex') from api_tokens where (revoked_at is not null or expires_at <= now()) and ${condition}
      order by coalesce(revoked_at, expires_at) desc limit ${endedTokens}
    ) as ended
    from sdk_token_revision`.execute(db);
  const [tokens] = rows;
  if (!tokens) throw new Error('The table sdk_token_revision has no row');
  return tokens;
}

/** Records that the tokens were used, at most once a minute per token on all servers together. Skips tokens that a change has locked. */
export async function markTokensSeen(db: Db, ids: number[]): Promise<void> {
  await sql`
    update api_tokens set seen_at = now() where id in (
      select id from api_tokens
      where id = any(${ids}) and coalesce(seen_at < now() - interval '1 minute', true)
      order by id for no key update skip locked
    )`.execute(db);
}
