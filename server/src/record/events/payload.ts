import { ellipsize } from '../../../../plane/src/platform/text.ts';

/** The states of the subject of an event: any JSON. */
export type Payloads = { data: unknown; preData: unknown };

const MAX_COMPARED_DEPTH = 50;

/** Follows a path into the payload, new state first. A path that begins with `before` or `after` reads that state only. */
export function fromPayload({ data, preData }: Payloads, path: string[]): unknown {
  if (path[0] === 'before') return path.slice(1).reduce(own, preData);
  if (path[0] === 'after') return path.slice(1).reduce(own, data);
  return path.reduce(own, data) ?? path.reduce(own, preData);
}

/** The names of the fields that differ between the two states. */
export function changedFields({ data, preData }: Payloads): string[] {
  if (!isRecord(data) || !isRecord(preData)) return [];
  const fields = new Set([...Object.keys(preData), ...Object.keys(data)]);
  return [...fields].filter(field => !same(own(data, field), own(preData, field)));
}

const SHOWN_PARAMETERS = ['rollout', 'stickiness', 'groupId'];
const MAX_PARAMETER_LENGTH = 30;

/** The same for a strategy, with the values of the parameters that decide who gets the feature: "rollout 10 % → 50 %". */
export function changesOfStrategy(payloads: Payloads): string[] {
  return changedFields(payloads).flatMap(field => (field === 'parameters' ? parameters(payloads) : [field]));
}

function parameters({ data, preData }: Payloads): string[] {
  const [before, after] = [own(preData, 'parameters'), own(data, 'parameters')];
  const changed = changedFields({ data: after, preData: before });
  const shown = SHOWN_PARAMETERS.filter(
    name => changed.includes(name) && [own(before, name), own(after, name)].every(isText),
  );
  const texts = shown.map(name => {
    const [from, to] = [before, after].map(state => parameterText(name, own(state, name)));
    return `${name} ${from} → ${to}`;
  });
  if (texts.length > 0 && texts.length === changed.length) return texts;
  return [...texts, texts.length > 0 ? 'other parameters' : 'parameters'];
}

const isText = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.trim() !== '');

function parameterText(name: string, value: unknown): string {
  if (typeof value !== 'string') return 'none';
  return name === 'rollout' && /^\d+$/.test(value)
    ? `${value} %`
    : ellipsize(value.trim(), MAX_PARAMETER_LENGTH);
}

// Not `isDeepStrictEqual`: two payloads nested 2,000 levels deep exhausted its stack.
function same(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (!isRecord(a) || !isRecord(b) || depth > MAX_COMPARED_DEPTH) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(key => same(a[key], own(b, key), depth + 1))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
