import { badData, MAX_LISTED, type Violation } from '../platform/errors.ts';
import type { Instance } from './merged.ts';
import { type Fields, isFields, textOf } from './read-body.ts';

/** The data that a proxy collected: registrations of applications, and counts in the format of SDKs. */
export type Bulk = { applications: Fields[]; metrics: Fields[] };

/** Checks the whole body before anything is counted, because a proxy resends a rejected body. */
export function readBulk(body: Fields): Bulk {
  const violations: Violation[] = [];
  let total = 0;
  const list = (name: string, required: string[]): Fields[] => {
    const value = body[name];
    if (!Array.isArray(value) || !value.every(isFields)) {
      total++;
      violations.push({ message: `${name} must be a list of objects`, path: `/body/${name}` });
      return [];
    }
    for (const [index, item] of value.entries()) {
      for (const field of required) {
        if (typeof item[field] === 'string') continue;
        // The response lists at most this many violations. Creating 290,000 took 600 ms.
        if (++total <= MAX_LISTED)
          violations.push({ message: `${field} must be a string`, path: `/body/${name}/${index}/${field}` });
      }
    }
    // Unleash Edge drops a rejected body, so an entry without a name must not make it lose all the others.
    return value.filter(item => required.every(field => item[field] !== ''));
  };
  const bulk = {
    applications: list('applications', ['appName']),
    metrics: list('metrics', ['appName', 'featureName']),
  };
  if (total > 0) throw badData(violations, total);
  return bulk;
}

export const isOf = (item: Fields, environment: string): boolean =>
  (textOf(item.environment) ?? environment) === environment;

export const instanceOf = (item: Fields, environment: string): Omit<Instance, 'seenAt' | 'token'> => ({
  environment,
  application: textOf(item.appName) ?? '',
  instanceId: textOf(item.instanceId) ?? 'default',
  sdkVersion: textOf(item.sdkVersion) ?? null,
  isFrontend: item.sdkType === 'frontend',
  strategies: strategiesOf(item.strategies),
});

const MAX_STRATEGIES = 100;
/**
 * The maximum length of all strategy names together. Anybody with a token can register thousands of instances, which stay in
 * memory until they are written.
 */
const MAX_STRATEGY_CHARACTERS = 4_000;

export function strategiesOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  let characters = 0;
  return value
    .slice(0, MAX_STRATEGIES)
    .map(name => textOf(name))
    .filter(name => name !== undefined)
    .filter(name => {
      characters += name.length;
      return characters <= MAX_STRATEGY_CHARACTERS;
    });
}
