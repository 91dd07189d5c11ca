import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Unleash } from 'unleash-client';

/** A flag as SDKs get it. */
export type Document = {
  name: string;
  enabled: boolean;
  strategies: { constraints: { values: string[] }[]; variants?: { name: string }[] }[];
};

/** The flags of an environment as the database has them for SDKs, by name. */
export type Documents = ReadonlyMap<string, Document>;

export async function readDocuments(database: pg.Client | pg.Pool, environment: string): Promise<Documents> {
  const { rows } = await database.query<{ name: string; document: string }>(
    'select name, document from sdk_features where environment = $1 and document is not null',
    [environment],
  );
  return new Map(rows.map(({ name, document }) => [name, JSON.parse(document)]));
}

/** The flags that a real SDK has, by name. */
export const flagsOf = (sdk: Unleash): Map<string, unknown> =>
  new Map(sdk.getFeatureToggleDefinitions().map(flag => [flag.name, flag]));

/** How what an SDK has differs from the database, or undefined if it does not. */
export function differenceOf(
  own: ReadonlyMap<string, unknown>,
  database: ReadonlyMap<string, unknown>,
): string | undefined {
  for (const [name, value] of own) {
    const stored = database.get(name);
    if (stored === undefined) return `has "${name}", and the database does not`;
    if (!isDeepStrictEqual(value, stored))
      return `"${name}" is ${JSON.stringify(value)}, and ${JSON.stringify(stored)} in the database`;
  }
  for (const name of database.keys()) if (!own.has(name)) return `lacks "${name}"`;
  return undefined;
}

/** Waits until nothing differs. Returns what still differs, and how long it took. Nothing may be written meanwhile. */
export async function waitUntilEqual(
  find: () => string[] | Promise<string[]>,
  withinMs: number,
): Promise<{ differing: string[]; ms: number }> {
  const started = performance.now();
  let differing = await find();
  while (differing.length > 0 && performance.now() - started < withinMs) {
    await sleep(50);
    differing = await find();
  }
  return { differing, ms: performance.now() - started };
}

/** A strategy for the user whose name is the number of the change, so that every change can be told apart. */
export const strategyOf = (number: number) => ({
  name: 'default',
  constraints: [
    {
      contextName: 'userId',
      operator: 'IN',
      values: [String(number)],
      inverted: false,
      caseInsensitive: false,
    },
  ],
});

/** The number of the last change to a flag that the SDK has. */
export function numberOf(sdk: Unleash, name: string): number {
  // The type of the package has no fields for strategies.
  const flag = sdk.getFeatureToggleDefinition(name) as unknown as Document | undefined;
  return Number(flag?.strategies[0]?.constraints[0]?.values[0] ?? 0);
}
