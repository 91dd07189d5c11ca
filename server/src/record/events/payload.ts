import { ellipsize } from '@halyard/plane/platform/text.ts';

/** The states of an event's subject after and before the change. Each can be any JSON. */
export type Payloads = { data: unknown; preData: unknown };

const MAX_COMPARED_DEPTH = 50;

/**
 * Follows a path into the new state, or into the old state if the new state has no value there. A path that begins with `before` or
 * `after` reads only that state.
 */
export function readPayload({ data, preData }: Payloads, path: string[]): unknown {
  if (path[0] === 'before') return path.slice(1).reduce(readOwn, preData);
  if (path[0] === 'after') return path.slice(1).reduce(readOwn, data);
  return path.reduce(readOwn, data) ?? path.reduce(readOwn, preData);
}

/** Returns the names of the fields that differ between the two states. */
function listChangedFields({ data, preData }: Payloads): string[] {
  if (!isRecord(data) || !isRecord(preData)) return [];
  const fields = new Set([...Object.keys(preData), ...Object.keys(data)]);
  return [...fields].filter(field => !isSame(readOwn(data, field), readOwn(preData, field)));
}

/** What a sentence calls a field whose name in the API is not a word. */
const FIELD_WORDS = new Map([
  ['debtBudget', 'debt budget'],
  ['defaultStickiness', 'default stickiness'],
  ['expiresAt', 'expiry'],
  ['featureLimit', 'flag limit'],
  ['featureNaming', 'flag naming pattern'],
  ['impressionData', 'impression data'],
  ['legalValues', 'legal values'],
  ['requireComment', 'required reason'],
  ['sortOrder', 'order'],
]);

/** Like `listChangedFields`, but in the words of a sentence. */
export const describeChangedFields = (payloads: Payloads): string[] =>
  listChangedFields(payloads).map(field => FIELD_WORDS.get(field) ?? field);

const SHOWN_PARAMETERS = ['rollout', 'stickiness', 'groupId'];
const MAX_PARAMETER_LENGTH = 30;

/**
 * Like `describeChangedFields`, but for a strategy: parameters that decide who gets the feature are listed with their values, such as
 * "rollout 10 % → 50 %".
 */
export function describeStrategyChanges(payloads: Payloads): string[] {
  return describeChangedFields(payloads).flatMap(field =>
    field === 'parameters' ? describeParameters(payloads) : [field],
  );
}

function describeParameters({ data, preData }: Payloads): string[] {
  const [oldParameters, newParameters] = [readOwn(preData, 'parameters'), readOwn(data, 'parameters')];
  const changedNames = listChangedFields({ data: newParameters, preData: oldParameters });
  const shownNames = SHOWN_PARAMETERS.filter(
    name =>
      changedNames.includes(name) &&
      [readOwn(oldParameters, name), readOwn(newParameters, name)].every(isText),
  );
  const texts = shownNames.map(name => {
    const [oldText, newText] = [oldParameters, newParameters].map(state =>
      formatParameter(name, readOwn(state, name)),
    );
    return `${name} ${oldText} → ${newText}`;
  });
  if (texts.length > 0 && texts.length === changedNames.length) return texts;
  return [...texts, texts.length > 0 ? 'other parameters' : 'parameters'];
}

const isText = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.trim() !== '');

function formatParameter(name: string, value: unknown): string {
  if (typeof value !== 'string') return 'none';
  return name === 'rollout' && /^\d+$/.test(value)
    ? `${value} %`
    : ellipsize(value.trim(), MAX_PARAMETER_LENGTH);
}

// `isDeepStrictEqual` is not used, because two payloads nested 2,000 levels deep exhausted its stack.
function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (!isRecord(a) || !isRecord(b) || depth > MAX_COMPARED_DEPTH) return false;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every(key => isSame(a[key], readOwn(b, key), depth + 1))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function readOwn(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
