import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Unleash } from 'unleash-client';

/** A flag as SDKs receive it. */
export type Document = {
  name: string;
  enabled: boolean;
  strategies: { constraints: { values: string[] }[]; variants?: { name: string }[] }[];
};

/** An environment's flags by name, as the database stores them for SDKs. */
export type Documents = ReadonlyMap<string, Document>;

export async function readDocuments(database: pg.Client | pg.Pool, environment: string): Promise<Documents> {
  const { rows } = await database.query<{ name: string; document: string }>(
    'select name, document from sdk_features where environment = $1 and document is not null',
    [environment],
  );
  return new Map(rows.map(({ name, document }) => [name, JSON.parse(document)]));
}

/** Returns a real SDK's flags by name. */
export const getSdkFlags = (sdk: Unleash): Map<string, unknown> =>
  new Map(sdk.getFeatureToggleDefinitions().map(flag => [flag.name, flag]));

/** Describes the first difference between an SDK's flags and the database, and returns undefined if there is none. */
export function describeDifference(
  sdkFlags: ReadonlyMap<string, unknown>,
  database: ReadonlyMap<string, unknown>,
): string | undefined {
  for (const [name, value] of sdkFlags) {
    const storedValue = database.get(name);
    if (storedValue === undefined) return `has "${name}", but the database does not`;
    if (!isDeepStrictEqual(value, storedValue))
      return `"${name}" is ${JSON.stringify(value)}, but ${JSON.stringify(storedValue)} in the database`;
  }
  for (const name of database.keys()) if (!sdkFlags.has(name)) return `lacks "${name}"`;
  return undefined;
}

/** Polls until nothing differs or the time is up, and returns the remaining differences. The database must not change in the meantime. */
export async function waitUntilEqual(
  findDifferences: () => string[] | Promise<string[]>,
  withinMs: number,
): Promise<{ differing: string[]; ms: number }> {
  const startedAt = performance.now();
  let differing = await findDifferences();
  while (differing.length > 0 && performance.now() - startedAt < withinMs) {
    await sleep(50);
    differing = await findDifferences();
  }
  return { differing, ms: performance.now() - startedAt };
}

/** Builds a strategy for a user named after the number of the change, so that each change is recognizable. */
export const makeStrategy = (changeNumber: number) => ({
  name: 'default',
  constraints: [
    {
      contextName: 'userId',
      operator: 'IN',
      values: [String(changeNumber)],
      inverted: false,
      caseInsensitive: false,
    },
  ],
});

/** Reads the number of a flag's last change from the SDK's copy of the flag. */
export function readChangeNumber(sdk: Unleash, name: string): number {
  // The package's type lacks the fields for strategies.
  const flag = sdk.getFeatureToggleDefinition(name) as unknown as Document | undefined;
  return Number(flag?.strategies[0]?.constraints[0]?.values[0] ?? 0);
}
