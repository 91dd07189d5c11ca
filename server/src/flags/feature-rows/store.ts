import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { jsonList } from '../../platform/db/json-text.ts';
import type { FeatureRow } from './schema.ts';

const ROW = sql`
  name, type, description, project, stale, impression_data as "impressionData",
  archived_at is not null as archived, created_at as "createdAt"`;

type Row = Omit<FeatureRow, 'description'> & { description: string | null };

const withoutNull = ({ description, ...row }: Row): FeatureRow => ({
  ...row,
  ...(description === null ? {} : { description }),
});

/**
 * Locks the given features of the project until the transaction ends, in the order of their names, so that two transactions do not
 * deadlock. Features of other projects are ignored. Read tags, links, strategies and other parts in a later statement, because a
 * statement that waited for the lock sees them as they were before the wait.
 */
export async function lockRows(tx: Tx, project: string, names: string[]): Promise<FeatureRow[]> {
  const { rows } = await sql<Row>`
    select ${ROW} from features where name = any(${names}) and project = ${project}
    order by name for update`.execute(tx);
  return rows.map(withoutNull);
}

/** A table whose rows belong to features, with the JSON text of a row and the order of the rows. */
export type FeaturePart = {
  table: string;
  column: string;
  item: RawBuilder<unknown>;
  order: RawBuilder<unknown>;
};

/** Whether a statement reads a few features, or all features of a project. */
export type ExpectedRows = 'few' | 'many';

/**
 * Selects the part of a `features` row as a JSON list. Most features have no rows in the part's table, so a statement about many
 * features first hashes the names of those that do and looks up only those.
 */
export function selectPart({ table, column, item, order }: FeaturePart, amount: ExpectedRows) {
  const [partTable, name] = [sql.table(table), sql.ref(column)];
  const list = jsonList(item, sql`${partTable} where ${name} = features.name order by ${order}`);
  return amount === 'few'
    ? list
    : sql`case when features.name in (select ${name} from ${partTable}) then ${list} else '[]' end`;
}
