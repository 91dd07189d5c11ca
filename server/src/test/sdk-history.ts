import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';

/** A document as a transaction wrote it. The key is unique in the environment. */
type Written = {
  environment: string;
  key: string;
  revision: number;
  document: string | null;
  transaction: string;
};

/** The documents of an environment by key. A removed document is absent. */
type State = Map<string, string>;

/** Records every version of every document from now on, in the transaction that writes it. */
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
 * Everything that is wrong with the revisions since the recording began: gaps, revisions that two transactions wrote, and
 * revisions n for which applying all later rows to the documents at n does not produce the current documents.
 */
export async function findWrongRevisions(db: Db): Promise<string[]> {
  const { rows: written } = await sql<Written>`
    select environment, key, revision, document, transaction from test_documents order by revision`.execute(
    db,
  );
  const { rows: stored } = await sql<Omit<Written, 'transaction'>>`
    select environment, project || '/' || name as key, revision, document || segments::text || tags::text as document
    from sdk_features
    union all select environment, id::text, revision, document from sdk_segments`.execute(db);
  const { rows: counters } = await sql<{ environment: string; revision: number }>`
    select environment, revision from sdk_revisions`.execute(db);
  return counters.flatMap(({ environment, revision }) => [
    ...wrongNumbers(environment, revision, written),
    ...wrongDeltas(
      environment,
      revision,
      written.filter(row => row.environment === environment),
      stored.filter(row => row.environment === environment),
    ),
  ]);
}

function wrongNumbers(environment: string, last: number, written: Written[]): string[] {
  const here = written.filter(row => row.environment === environment);
  const byRevision = Map.groupBy(here, row => row.revision);
  return Array.from({ length: last }, (_, at) => at + 1).flatMap(revision => {
    const transactions = new Set(byRevision.get(revision)?.map(row => row.transaction));
    return transactions.size === 1
      ? []
      : [`${environment} ${revision}: ${transactions.size} transactions wrote it`];
  });
}

function wrongDeltas(
  environment: string,
  last: number,
  written: Written[],
  stored: Omit<Written, 'transaction'>[],
): string[] {
  const now: State = applied(new Map(), stored);
  const state: State = new Map();
  const wrong: string[] = [];
  for (let revision = 0; revision <= last; revision++) {
    applied(
      state,
      written.filter(row => row.revision === revision),
    );
    const folded = applied(
      new Map(state),
      stored.filter(row => row.revision > revision),
    );
    if (text(folded) !== text(now)) wrong.push(`${environment} from ${revision}`);
  }
  return wrong;
}

function applied(state: State, rows: Pick<Written, 'key' | 'document'>[]): State {
  for (const { key, document } of rows) {
    if (document === null) state.delete(key);
    else state.set(key, document);
  }
  return state;
}

const text = (state: State): string => JSON.stringify([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));
