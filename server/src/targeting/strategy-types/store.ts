import { sql } from 'kysely';
import type { Columns, Reader, Tx } from '../../platform/db/database.ts';
import type { StrategyType } from './schema.ts';

const STRATEGY_TYPE = sql`
  name, display_name as "displayName", description, not built_in as editable, deprecated, parameters`;

export async function listStrategyTypes(db: Reader): Promise<StrategyType[]> {
  const { rows } = await sql<StrategyType>`
    select ${STRATEGY_TYPE} from strategies order by sort_order, name`.execute(db);
  return rows;
}

export async function findStrategyType(db: Reader, name: string): Promise<StrategyType | undefined> {
  const { rows } = await sql<StrategyType>`
    select ${STRATEGY_TYPE} from strategies where name = ${name}`.execute(db);
  return rows[0];
}

/** Locks the strategy type. Until the transaction ends, it cannot change, and no strategy can start to use it. */
export async function lockStrategyType(tx: Tx, name: string): Promise<StrategyType | undefined> {
  const { rows } = await sql<StrategyType>`
    select ${STRATEGY_TYPE} from strategies where name = ${name} for update`.execute(tx);
  return rows[0];
}

export async function insertStrategyType(tx: Tx, strategy: StrategyType): Promise<void> {
  await tx
    .insertInto('strategies')
    .values({ name: strategy.name, display_name: strategy.displayName, ...columns(strategy) })
    .execute();
}

export async function updateStrategyType(tx: Tx, strategy: StrategyType): Promise<void> {
  await tx.updateTable('strategies').set(columns(strategy)).where('name', '=', strategy.name).execute();
}

const columns = (strategy: StrategyType) =>
  ({
    description: strategy.description,
    deprecated: strategy.deprecated,
    parameters: JSON.stringify(strategy.parameters),
  }) satisfies Columns<'strategies'>;

export async function deleteStrategyType(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('strategies').where('name', '=', name).execute();
}

export type StrategyTypeUses = { byFeature: boolean; asDefault: boolean };

/** Returns whether a feature has a strategy of this type, and whether a project has one as a default strategy. */
export async function findUses(db: Reader, name: string): Promise<StrategyTypeUses> {
  const { rows } = await sql<StrategyTypeUses>`
    select
      exists (select from feature_strategies where strategy_name = ${name}) as "byFeature",
      exists (select from project_environments where default_strategy ->> 'name' = ${name}) as "asDefault"`.execute(
    db,
  );
  return rows[0] ?? { byFeature: false, asDefault: false };
}

/** Lists the names of all types that are not deprecated. */
export async function listTypeNames(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from strategies where not deprecated order by sort_order, name`.execute(db);
  return rows.map(row => row.name);
}

/** Returns the given names that belong to a strategy type. These types cannot be deleted until the transaction ends. */
export async function lockStrategyTypesShared(tx: Tx, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from strategies where name = any(${names}) order by name for key share`.execute(tx);
  return rows.map(row => row.name);
}
