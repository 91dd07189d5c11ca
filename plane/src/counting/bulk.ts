import { badData, MAX_LISTED, type Violation } from '../platform/errors.ts';
import type { Instance } from './merged.ts';
import { isJsonObject, type JsonObject, readText } from './read-body.ts';

/** The data that a proxy collected: registrations of applications, and counts in the format of SDKs. */
export type Bulk = { applications: JsonObject[]; metrics: JsonObject[] };

/** Checks the whole body before anything is counted, because some proxies resend a rejected body. */
export function readBulk(body: JsonObject): Bulk {
  const violations: Violation[] = [];
  let total = 0;
  const readList = (name: string, required: string[]): JsonObject[] => {
    const value = body[name];
    if (!Array.isArray(value) || !value.every(isJsonObject)) {
      total++;
      violations.push({ message: `${name} must be a list of objects`, path: `/body/${name}` });
      return [];
    }
    for (const [index, item] of value.entries()) {
      for (const field of required) {
        if (typeof item[field] === 'string') continue;
        // The response lists no more than MAX_LISTED violations, and creating 290,000 took 600 ms.
        if (++total <= MAX_LISTED)
          violations.push({ message: `${field} must be a string`, path: `/body/${name}/${index}/${field}` });
      }
    }
    // Entries without a name are skipped, because Unleash Edge drops a rejected body with all its entries.
    return value.filter(item => required.every(field => item[field] !== ''));
  };
  const bulk = {
    applications: readList('applications', ['appName']),
    metrics: readList('metrics', ['appName', 'featureName']),
  };
  if (total > 0) throw badData(violations, total);
  return bulk;
}

export const isInEnvironment = (item: JsonObject, environment: string): boolean =>
  (readText(item.environment) ?? environment) === environment;

export const toInstance = (item: JsonObject, environment: string): Omit<Instance, 'seenAt' | 'token'> => ({
  environment,
  application: readText(item.appName) ?? '',
  instanceId: readText(item.instanceId) ?? 'default',
  sdkVersion: readText(item.sdkVersion) ?? null,
  isFrontend: item.sdkType === 'frontend',
  strategies: readStrategies(item.strategies),
});

const MAX_STRATEGIES = 100;
/**
 * The maximum length of all strategy names together. Anybody with a token can register thousands of instances, which stay in
 * memory until they are written.
 */
const MAX_STRATEGY_CHARACTERS = 4_000;

export function readStrategies(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  let characters = 0;
  return value
    .slice(0, MAX_STRATEGIES)
    .map(name => readText(name))
    .filter(name => name !== undefined)
    .filter(name => {
      characters += name.length;
      return characters <= MAX_STRATEGY_CHARACTERS;
    });
}
