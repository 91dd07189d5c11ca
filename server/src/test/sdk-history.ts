import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** A document as a transaction wrote it. The key is unique in the environment. */
type DocumentVersion = {
  environment: string;
  key: string;
  revision: number;
  document: string | null;
  transaction: string;
};

/** The documents of an environment by key. A removed document is absent. */
type State = Map<string, string>;

/** Starts to record every version of every document, in the transaction that writes it. */
export async function recordDocuments(db: Db): Promise<void> {
  const statements = [
    `create table test_documents (environment text, key text, revision integer, document text, transaction text)`,
    `create function test_record_feature() returns trigger language plpgsql as $$ begin
      insert into test_documents values (new.environment, new.project || '/' || new.name, new.revision,
        new.document || new.segments::text || new.tags::text, pg_current_xact_id()::text);
      return null; end $$`,
    `create function test_record_segment() returns trigger language plpgsql as $$ begin
      insert into test_documents values (new.environment, new.id::text, new.revision, new.document, pg_current_xact_id()::text);
      return null; end $$`,
    `create trigger test_features after insert or update on sdk_features
      for each row execute function test_record_feature()`,
    `create trigger test_segments after insert or update on sdk_segments
      for each row execute function test_record_segment()`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/**
 * Finds wrong revisions since the recording began: gaps, revisions that two transactions wrote, and revisions from which applying
 * all later rows does not lead to the current documents.
 */
export async function findWrongRevisions(db: Db): Promise<string[]> {
  const { rows: versions } = await sql<DocumentVersion>`
    select environment, key, revision, document, transaction from test_documents order by revision`.execute(
    db,
  );
  const { rows: currentRows } = await sql<Omit<DocumentVersion, 'transaction'>>`
    select environment, project || '/' || name as key, revision, document || segments::text || tags::text as document
    from sdk_features
    union all select environment, id::text, revision, document from sdk_segments`.execute(db);
  const { rows: counters } = await sql<{ environment: string; revision: number }>`
    select environment, revision from sdk_revisions`.execute(db);
  return counters.flatMap(({ environment, revision }) => [
    ...findWrongNumbers(environment, revision, versions),
    ...findWrongDeltas(
      environment,
      revision,
      versions.filter(row => row.environment === environment),
      currentRows.filter(row => row.environment === environment),
    ),
  ]);
}

function findWrongNumbers(environment: string, lastRevision: number, versions: DocumentVersion[]): string[] {
  const environmentVersions = versions.filter(row => row.environment === environment);
  const versionsByRevision = Map.groupBy(environmentVersions, row => row.revision);
  return Array.from({ length: lastRevision }, (_, index) => index + 1).flatMap(revision => {
    const transactions = new Set(versionsByRevision.get(revision)?.map(row => row.transaction));
    return transactions.size === 1
      ? []
      : [`${environment} ${revision}: ${transactions.size} transactions wrote it`];
  });
}

function findWrongDeltas(
  environment: string,
  lastRevision: number,
  versions: DocumentVersion[],
  currentRows: Omit<DocumentVersion, 'transaction'>[],
): string[] {
  const currentState: State = applyRows(new Map(), currentRows);
  const state: State = new Map();
  const problems: string[] = [];
  for (let revision = 0; revision <= lastRevision; revision++) {
    applyRows(
      state,
      versions.filter(row => row.revision === revision),
    );
    const resultingState = applyRows(
      new Map(state),
      currentRows.filter(row => row.revision > revision),
    );
    if (serialize(resultingState) !== serialize(currentState))
      problems.push(`${environment} from ${revision}`);
  }
  return problems;
}

function applyRows(state: State, rows: Pick<DocumentVersion, 'key' | 'document'>[]): State {
  for (const { key, document } of rows) {
    if (document === null) state.delete(key);
    else state.set(key, document);
  }
  return state;
}

const serialize = (state: State): string =>
  JSON.stringify([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));
