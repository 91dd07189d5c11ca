import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { EPOCH, EPOCH_ID, type Epoch } from '../../record/epoch/store.ts';

/** An event that proves the history: a database without it is not the one that the server read it from. */
export type Witness = { id: number; groupId: string };

/** The positions that a server compares every second with those of the state in memory. */
export type Positions = {
  epoch: Epoch;
  /** The time of the database, which decides whether a token has expired. */
  now: string;
  tokenRevision: number;
  newestEvent: Witness | null;
  /** Whether the database has the given event. True if none was given. */
  hasWitness: boolean;
  /** The origins whose pages may use the API for frontend SDKs. */
  origins: string[];
  environments: { environment: string; revision: number; completeSince: number }[];
};

export type FeatureRow = {
  project: string;
  name: string;
  revision: number;
  /** The feature as SDKs get it. Null: the feature was removed. */
  document: string | null;
  segments: number[];
  tags: string[];
};

export type SegmentRow = { id: number; revision: number; document: string | null };

/** The rows of one environment that are newer than a revision, as of one moment. */
export type Changes = {
  epoch: string;
  revision: number;
  /** Removals up to this revision may have been purged. */
  completeSince: number;
  features: FeatureRow[];
  segments: SegmentRow[];
};

export async function readPositions(db: Reader, witness?: Witness): Promise<Positions> {
  const { rows } = await sql<Positions>`
    select ${EPOCH} as epoch, now() as now,
      (select revision from sdk_token_revision) as "tokenRevision",
      (select origins from cors_settings) as origins,
      (select json_build_object('id', id, 'groupId', group_id) from events order by id desc limit 1) as "newestEvent",
      ${witness === undefined} or exists (
        select from events where id = ${witness?.id ?? 0} and group_id = ${witness?.groupId ?? ''}
      ) as "hasWitness",
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

/** One statement, so that all rows are of one moment: a revision is visible as a whole or not at all. */
export async function readChanges(db: Reader, environment: string, after: number): Promise<Changes> {
  const { rows } = await sql<ChangeRow>`
    select 'environment' as kind, ${EPOCH_ID} as epoch, coalesce(max(complete_since), 0) as "completeSince",
      null as project, null as name, null::integer as id, coalesce(max(revision), 0) as revision, null as document,
      null::integer[] as segments, null::text[] as tags
    from sdk_revisions where environment = ${environment}
    union all
    select 'feature', null, null, project, name, null, revision, document, segments, tags
    from sdk_features where environment = ${environment} and revision > ${after}
    union all
    select 'segment', null, null, null, null, id, revision, document, null, null
    from sdk_segments where environment = ${environment} and revision > ${after}`.execute(db);
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
