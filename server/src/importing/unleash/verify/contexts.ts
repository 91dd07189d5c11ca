import { makeRandomInt } from '../../evaluating/random.ts';
import type { Flags } from './documents.ts';

/** A context that an application could send. Non-standard fields are properties, as in every SDK. */
export type GeneratedContext = {
  userId: string;
  sessionId: string;
  remoteAddress: string;
  appName: string;
  environment: string;
  currentTime: string;
  properties: Record<string, string>;
};

const STANDARD_FIELDS = ['userId', 'sessionId', 'remoteAddress', 'appName', 'environment', 'currentTime'];
const MAX_VALUES = 1_000;

/** Generates contexts that match or miss the rules, with values from the rules, near misses, and values that match no rule. */
export function generateContexts(flags: Flags, environment: string, count: number): GeneratedContext[] {
  const values = collectValues(flags);
  const pick = makeRandomInt(count);
  return Array.from({ length: count }, (_, index) => {
    const pickValue = (name: string, fallback: string): string => {
      const knownValues = values.get(name) ?? [];
      return knownValues.length > 0 && pick(3) > 0
        ? (knownValues[pick(knownValues.length)] ?? fallback)
        : fallback;
    };
    const properties = Object.fromEntries(
      [...values.keys()]
        .filter(name => !STANDARD_FIELDS.includes(name))
        .filter(() => pick(5) > 0)
        .map(name => [name, pickValue(name, `other-${pick(50)}`)]),
    );
    return {
      userId: pickValue('userId', String(index)),
      sessionId: pickValue('sessionId', `session-${index}`),
      remoteAddress: pickValue('remoteAddress', `10.${pick(256)}.${pick(256)}.${pick(256)}`),
      appName: pickValue('appName', 'verify'),
      environment: pickValue('environment', environment),
      currentTime: pickValue(
        'currentTime',
        new Date(Date.UTC(2020 + pick(12), pick(12), 1 + pick(28))).toISOString(),
      ),
      properties,
    };
  });
}

function collectValues({ features, segments }: Flags): Map<string, string[]> {
  const valuesByName = new Map<string, Set<string>>();
  const addValue = (name: string, value: string) => {
    const fieldValues = valuesByName.get(name) ?? new Set();
    if (fieldValues.size < MAX_VALUES) fieldValues.add(value);
    valuesByName.set(name, fieldValues);
  };
  const strategies = [...features.values()].flatMap(feature => feature.strategies ?? []);
  const constraints = [...strategies, ...segments.values()].flatMap(item => item.constraints ?? []);
  for (const { contextName, values = [], value } of constraints) {
    for (const listedValue of [...values, ...(value === undefined ? [] : [value])]) {
      addValue(contextName, listedValue);
      addValue(contextName, `${listedValue}x`);
      const number = Number(listedValue);
      if (listedValue !== '' && Number.isFinite(number))
        for (const neighbor of [number - 1, number + 1]) addValue(contextName, String(neighbor));
    }
  }
  for (const { parameters = {} } of strategies) {
    for (const id of toText(parameters.userIds).split(',')) if (id.trim()) addValue('userId', id.trim());
    for (const address of toText(parameters.IPs).split(','))
      if (address.trim()) addValue('remoteAddress', address.trim().replace(/\/.*$/, ''));
    const stickiness = toText(parameters.stickiness);
    if (stickiness && !['default', 'random'].includes(stickiness)) addValue(stickiness, 'some');
  }
  return new Map([...valuesByName].map(([name, fieldValues]) => [name, [...fieldValues]]));
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
