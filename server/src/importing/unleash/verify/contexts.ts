import { makePicker } from '../../evaluating/picker.ts';
import type { Flags } from './documents.ts';

/** What an application could send. Fields that are not standard are properties, as in every SDK. */
export type GeneratedContext = {
  userId: string;
  sessionId: string;
  remoteAddress: string;
  appName: string;
  environment: string;
  currentTime: string;
  properties: Record<string, string>;
};

const STANDARD = ['userId', 'sessionId', 'remoteAddress', 'appName', 'environment', 'currentTime'];
const MAX_VALUES = 1_000;

/**
 * Contexts that reach both sides of each rule: values from the constraints, values next to them, and values that no rule names.
 */
export function generateContexts(flags: Flags, environment: string, count: number): GeneratedContext[] {
  const values = valuesByField(flags);
  const pick = makePicker(count);
  return Array.from({ length: count }, (_, at) => {
    const field = (name: string, other: string): string => {
      const known = values.get(name) ?? [];
      return known.length > 0 && pick(3) > 0 ? (known[pick(known.length)] ?? other) : other;
    };
    const properties = Object.fromEntries(
      [...values.keys()]
        .filter(name => !STANDARD.includes(name))
        .filter(() => pick(5) > 0)
        .map(name => [name, field(name, `other-${pick(50)}`)]),
    );
    return {
      userId: field('userId', String(at)),
      sessionId: field('sessionId', `session-${at}`),
      remoteAddress: field('remoteAddress', `10.${pick(256)}.${pick(256)}.${pick(256)}`),
      appName: field('appName', 'verify'),
      environment: field('environment', environment),
      currentTime: field(
        'currentTime',
        new Date(Date.UTC(2020 + pick(12), pick(12), 1 + pick(28))).toISOString(),
      ),
      properties,
    };
  });
}

function valuesByField({ features, segments }: Flags): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  const add = (name: string, value: string) => {
    const set = found.get(name) ?? new Set();
    if (set.size < MAX_VALUES) set.add(value);
    found.set(name, set);
  };
  const strategies = [...features.values()].flatMap(one => one.strategies ?? []);
  const constraints = [...strategies, ...segments.values()].flatMap(one => one.constraints ?? []);
  for (const { contextName, values = [], value } of constraints) {
    for (const one of [...values, ...(value === undefined ? [] : [value])]) {
      add(contextName, one);
      add(contextName, `${one}x`);
      const number = Number(one);
      if (one !== '' && Number.isFinite(number))
        for (const near of [number - 1, number + 1]) add(contextName, String(near));
    }
  }
  for (const { parameters = {} } of strategies) {
    for (const id of textOf(parameters.userIds).split(',')) if (id.trim()) add('userId', id.trim());
    for (const address of textOf(parameters.IPs).split(','))
      if (address.trim()) add('remoteAddress', address.trim().replace(/\/.*$/, ''));
    const stickiness = textOf(parameters.stickiness);
    if (stickiness && !['default', 'random'].includes(stickiness)) add(stickiness, 'some');
  }
  return new Map([...found].map(([name, set]) => [name, [...set]]));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
