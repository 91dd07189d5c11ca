import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

type Strategy = { segments?: number[] };

/** A feature as SDKs receive it. */
export type SdkDocument = {
  name: string;
  project?: string;
  strategies?: Strategy[];
  segments?: number[];
  [field: string]: unknown;
};

type Documents = {
  features?: SdkDocument[];
  segments?: { id: number; [field: string]: unknown }[];
  /** `project/name` of removed features, and ids of removed segments. */
  removed?: string[];
  removedSegments?: number[];
  tags?: Record<string, string[]>;
};

/** Writes documents as a new revision, bypassing the tables that they are built from. Returns the revision. */
export async function putDocuments(db: Db, environment: string, documents: Documents): Promise<number> {
  const { features = [], segments = [], removed = [], removedSegments = [], tags = {} } = documents;
  return await db.transaction().execute(async tx => {
    const { rows } = await sql`
      insert into sdk_revisions (environment, revision) values (${environment}, 1)
      on conflict (environment) do update set revision = sdk_revisions.revision + 1 returning revision`.execute(
      tx,
    );
    const revision = Number((rows[0] as { revision: number }).revision);
    const featureRows = [
      ...features.map(({ project = 'default', ...feature }) => ({
        project,
        name: feature.name,
        document: JSON.stringify({ project, ...feature }),
        segments: listUsedSegments(feature),
        tags: tags[feature.name] ?? [],
      })),
      ...removed.map(path => {
        const [project = '', name = ''] = path.split('/');
        return { project, name, document: null, segments: [], tags: [] };
      }),
    ];
    for (const row of featureRows) {
      await sql`
        insert into sdk_features (environment, project, name, revision, document, segments, tags, removed_at)
        values (${environment}, ${row.project}, ${row.name}, ${revision}, ${row.document}, ${row.segments}, ${row.tags},
          ${row.document === null ? new Date() : null})
        on conflict (environment, project, name) do update set revision = excluded.revision,
          document = excluded.document, segments = excluded.segments, tags = excluded.tags,
          removed_at = excluded.removed_at`.execute(tx);
    }
    const segmentRows = [
      ...segments.map(segment => ({ id: segment.id, document: JSON.stringify(segment) })),
      ...removedSegments.map(id => ({ id, document: null })),
    ];
    for (const { id, document } of segmentRows) {
      await sql`
        insert into sdk_segments (environment, id, revision, document, removed_at)
        values (${environment}, ${id}, ${revision}, ${document}, ${document === null ? new Date() : null})
        on conflict (environment, id) do update set revision = excluded.revision, document = excluded.document,
          removed_at = excluded.removed_at`.execute(tx);
    }
    await sql`select pg_notify('halyard_sdk', '')`.execute(tx);
    return revision;
  });
}

const listUsedSegments = ({ strategies = [], segments = [] }: SdkDocument): number[] => [
  ...new Set([...segments, ...strategies.flatMap(strategy => strategy.segments ?? [])]),
];

/** Raises the revision of an environment without writing a document, as a change in a project outside the token's scope does. */
export async function raiseRevision(db: Db, environment: string, revision: number): Promise<void> {
  await sql`update sdk_revisions set revision = ${revision} where environment = ${environment}`.execute(db);
}

/** Creates an environment without features. */
export async function makeEnvironment(db: Db, name: string): Promise<void> {
  await sql`insert into environments (name, type, sort_order) values (${name}, 'test', 1000)`.execute(db);
}
