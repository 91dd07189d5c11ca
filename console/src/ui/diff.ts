import { escapeText, quoteText } from './caller-text.ts';
import { describeVariants, formatWeight } from './variants.ts';

/** One difference between two states of a subject. `path` names the field: ['constraints', 'plan', 'values']. */
export type Change =
  | { path: string[]; kind: 'added' | 'removed' | 'changed'; before?: unknown; after?: unknown }
  | { path: string[]; kind: 'items'; items: { text: string; kind: 'added' | 'removed' | 'same' }[] };

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlainList = (value: unknown): value is (string | number)[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string' || typeof item === 'number');
/** Objects in lists are matched by the first of these fields whose value is present and unique in every object. */
const IDENTITY_FIELDS = ['id', 'contextName', 'name', 'value'];

/** Returns the differences field by field, in the order of the newer state. */
export function computeChanges(valueBefore: unknown, valueAfter: unknown, path: string[] = []): Change[] {
  if (JSON.stringify(valueBefore) === JSON.stringify(valueAfter)) return [];
  if (isPlainList(valueBefore) && isPlainList(valueAfter))
    return computeListChanges(valueBefore, valueAfter, path);
  if (Array.isArray(valueBefore) && Array.isArray(valueAfter)) {
    const key = IDENTITY_FIELDS.find(name => isIdentity(name, valueBefore) && isIdentity(name, valueAfter));
    if (key !== undefined) return computeFieldChanges(byKey(valueBefore, key), byKey(valueAfter, key), path);
  }
  if (isObject(valueBefore) && isObject(valueAfter))
    return computeFieldChanges(valueBefore, valueAfter, path);
  if (valueBefore === undefined || valueBefore === null) return [{ path, kind: 'added', after: valueAfter }];
  if (valueAfter === undefined || valueAfter === null)
    return [{ path, kind: 'removed', before: valueBefore }];
  return [{ path, kind: 'changed', before: valueBefore, after: valueAfter }];
}

function computeListChanges(
  listBefore: (string | number)[],
  listAfter: (string | number)[],
  path: string[],
): Change[] {
  const itemsBefore = new Set(listBefore);
  const itemsAfter = new Set(listAfter);
  const items = [
    ...listAfter.map(item => ({
      text: String(item),
      kind: itemsBefore.has(item) ? ('same' as const) : ('added' as const),
    })),
    ...listBefore
      .filter(item => !itemsAfter.has(item))
      .map(item => ({ text: String(item), kind: 'removed' as const })),
  ];
  // The same values in a different order are a change too.
  return items.some(item => item.kind !== 'same')
    ? [{ path, kind: 'items', items }]
    : [{ path, kind: 'changed', before: listBefore, after: listAfter }];
}

const computeFieldChanges = (fieldsBefore: Fields, fieldsAfter: Fields, path: string[]): Change[] =>
  [...new Set([...Object.keys(fieldsAfter), ...Object.keys(fieldsBefore)])].flatMap(name =>
    computeChanges(fieldsBefore[name], fieldsAfter[name], [...path, name]),
  );

const isIdentity = (name: string, list: unknown[]): boolean =>
  list.every(item => isObject(item) && name in item) &&
  new Set(list.map(item => (item as Fields)[name])).size === list.length;

const byKey = (list: unknown[], key: string): Fields =>
  Object.fromEntries(list.map(item => [String((item as Fields)[key]), item]));

const FIELD_LABELS: Record<string, string> = {
  parameters: '',
  values: '',
  constraints: 'Constraint',
  variants: 'Variant',
  environments: '',
  sortOrder: 'Order',
  requireComment: 'Require a reason',
  contextName: 'Field',
  groupId: 'group ID',
  userIds: 'user IDs',
  IPs: 'IP addresses',
  hostNames: 'hosts',
};

/** Lists whose items a path names by what the user called them. */
const NAMED_LISTS = ['constraints', 'variants', 'environments'];

/** Describes a path. For example, ['constraints', 'plan', 'values'] becomes "Constraint plan". */
export function describePath(path: readonly string[]): string {
  if (path.length === 1 && path[0] === 'variants') return 'Variants';
  const labels = path
    .map((part, n) => (NAMED_LISTS.includes(path[n - 1] ?? '') ? escapeText(part) : describeField(part)))
    .filter(word => word !== '');
  const text = labels.join(' ') || escapeText(path.at(-1) ?? '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const describeField = (field: string): string =>
  FIELD_LABELS[field] ??
  escapeText(field)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

/**
 * Formats a value for display, for example true as `yes`, a rollout or weight as `50 %`, a list as `a, b`, variants as `a 50 %, b 50 %`,
 * and any other object as JSON.
 */
export function formatValue(value: unknown, path: readonly string[]): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value) && value.length === 0) return 'none';
  if (isPlainList(value)) return value.map(item => quoteText(String(item))).join(', ');
  const variantsText = path.includes('variants') ? describeVariants(value) : undefined;
  if (variantsText !== undefined) return variantsText;
  const text = escapeText(typeof value === 'string' ? value : JSON.stringify(value));
  if (path.at(-1) === 'rollout') return `${text} %`;
  return path.at(-1) === 'weight' && typeof value === 'number' ? formatWeight(value) : text;
}

/** Whether the value looks like a constraint or a list of constraints, which the console shows in words. Checks only the first. */
export const isConstraintValue = (value: unknown): boolean => {
  const [first] = Array.isArray(value) ? value : [value];
  return isObject(first) && 'contextName' in first && 'operator' in first;
};

/** Counts the fields of the newer state that did not change. */
export const countUnchanged = (fieldsBefore: Fields | null, fieldsAfter: Fields | null): number =>
  Object.keys(fieldsAfter ?? {}).filter(
    name => JSON.stringify(fieldsBefore?.[name]) === JSON.stringify(fieldsAfter?.[name]),
  ).length;

/** Returns at most two changes that are short enough for a list row. */
export const pickBriefChanges = (changes: Change[]): Change[] =>
  changes
    .filter(change =>
      change.kind === 'items'
        ? change.items.filter(item => item.kind !== 'same').length <= 3
        : change.kind === 'changed' &&
          formatValue(change.before, change.path).length + formatValue(change.after, change.path).length < 30,
    )
    .slice(0, 2);
