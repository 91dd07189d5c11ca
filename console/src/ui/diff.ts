/** One difference between two states of a subject. `path` names the field: ['constraints', 'plan', 'values']. */
export type Change =
  | { path: string[]; kind: 'added' | 'removed' | 'changed'; before?: unknown; after?: unknown }
  | { path: string[]; kind: 'items'; items: { text: string; kind: 'added' | 'removed' | 'same' }[] };

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlainList = (value: unknown): value is (string | number)[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string' || typeof item === 'number');
/** Objects in lists are matched by the first of these that all of them have, and that is unique. */
const IDENTITIES = ['id', 'contextName', 'name', 'value'];

/** The differences, field by field, in the order of the newer state. */
export function changesOf(before: unknown, after: unknown, path: string[] = []): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isPlainList(before) && isPlainList(after)) return changesOfList(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) {
    const key = IDENTITIES.find(name => isIdentity(name, before) && isIdentity(name, after));
    if (key !== undefined) return changesOfFields(byKey(before, key), byKey(after, key), path);
  }
  if (isObject(before) && isObject(after)) return changesOfFields(before, after, path);
  if (before === undefined || before === null) return [{ path, kind: 'added', after }];
  if (after === undefined || after === null) return [{ path, kind: 'removed', before }];
  return [{ path, kind: 'changed', before, after }];
}

function changesOfList(before: (string | number)[], after: (string | number)[], path: string[]): Change[] {
  const had = new Set(before);
  const has = new Set(after);
  const items = [
    ...after.map(item => ({
      text: String(item),
      kind: had.has(item) ? ('same' as const) : ('added' as const),
    })),
    ...before.filter(item => !has.has(item)).map(item => ({ text: String(item), kind: 'removed' as const })),
  ];
  // The same values in a different order are a change too.
  return items.some(item => item.kind !== 'same')
    ? [{ path, kind: 'items', items }]
    : [{ path, kind: 'changed', before: before.join(', '), after: after.join(', ') }];
}

const changesOfFields = (before: Fields, after: Fields, path: string[]): Change[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])].flatMap(name =>
    changesOf(before[name], after[name], [...path, name]),
  );

const isIdentity = (name: string, list: unknown[]): boolean =>
  list.every(item => isObject(item) && name in item) &&
  new Set(list.map(item => (item as Fields)[name])).size === list.length;

const byKey = (list: unknown[], key: string): Fields =>
  Object.fromEntries(list.map(item => [String((item as Fields)[key]), item]));

const WORDS: Record<string, string> = {
  parameters: '',
  values: '',
  constraints: 'Constraint',
  variants: 'Variant',
  environments: '',
  sortOrder: 'Order',
  contextName: 'Field',
};

/** The path in words: ['constraints', 'plan', 'values'] becomes "Constraint plan". */
export function labelOf(path: readonly string[]): string {
  const words = path
    .map(part => WORDS[part] ?? part.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase())
    .filter(word => word !== '');
  const text = words.join(' ') || (path.at(-1) ?? '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A value for people: `yes` for true, `50 %` for a rollout and for the weight of a variant, JSON for an object. */
export function wordsOf(value: unknown, path: readonly string[]): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (path.at(-1) === 'rollout') return `${text} %`;
  // Weights are in thousandths.
  return path.at(-1) === 'weight' && typeof value === 'number' ? `${value / 10} %` : text;
}

/** How many fields of the newer state did not change. */
export const unchangedCount = (before: Fields | null, after: Fields | null): number =>
  Object.keys(after ?? {}).filter(name => JSON.stringify(before?.[name]) === JSON.stringify(after?.[name]))
    .length;

/** The changes that are short enough for a row of a list; at most two. */
export const briefChanges = (changes: Change[]): Change[] =>
  changes
    .filter(change =>
      change.kind === 'items'
        ? change.items.filter(item => item.kind !== 'same').length <= 3
        : change.kind === 'changed' &&
          wordsOf(change.before, change.path).length + wordsOf(change.after, change.path).length < 30,
    )
    .slice(0, 2);
