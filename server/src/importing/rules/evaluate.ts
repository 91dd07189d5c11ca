import type { Context } from 'unleash-client/lib/context.js';
import { compilePattern } from '../../../../plane/src/platform/pattern.ts';
import {
  type AnyOf,
  type Comparison,
  type Condition,
  type Flag,
  isSegment,
  type Targeting,
} from './model.ts';

/** The variations that a context can get. There are several if a rule splits users, because each product hashes users differently. */
export function possibleVariations(
  { variations }: Flag,
  { on, rules, otherwise, off }: Targeting,
  context: Context,
): number[] {
  if (!on) return off === undefined ? [] : [off];
  const serve = rules.find(({ when }) => matches(when, context))?.serve ?? otherwise;
  if (!('split' in serve)) return [serve.variation];
  return serve.split
    .filter(({ weight, variation }) => weight > 0 && variations[variation] !== undefined)
    .map(({ variation }) => variation);
}

const matches = (when: AnyOf, context: Context): boolean =>
  when.some(conditions => conditions.every(condition => isTrue(condition, context)));

function isTrue(condition: Condition, context: Context): boolean {
  if (isSegment(condition)) return condition.comparisons.every(one => isTrue(one, context));
  const value = readField(condition.field, context);
  return value !== undefined && compare(condition, value) !== condition.negated;
}

const readField = (field: string, context: Context): string | undefined =>
  field === 'userId' ? context.userId : context.properties?.[field]?.toString();

function compare({ operator, values, caseInsensitive = false }: Comparison, given: string): boolean {
  const fold = (text: string) => (caseInsensitive ? text.toLowerCase() : text);
  const value = fold(given);
  const some = (test: (one: string) => boolean) => values.some(one => test(fold(one)));
  switch (operator) {
    case 'IN':
      return some(one => one === value);
    case 'STR_CONTAINS':
      return some(one => value.includes(one));
    case 'STR_STARTS_WITH':
      return some(one => value.startsWith(one));
    case 'STR_ENDS_WITH':
      return some(one => value.endsWith(one));
    case 'REGEX':
      return values.some(one => patternOf(one, caseInsensitive)?.matcher(given).find() ?? false);
    default:
      return isOrdered(operator, order(operator, value, values[0] ?? ''));
  }
}

const MAX_PATTERNS = 1_000;
const patterns = new Map<string, ReturnType<typeof compilePattern>>();

/** Matches in linear time, whatever the pattern. An invalid pattern matches nothing, and validation rejects it later. */
function patternOf(text: string, ignoreCase: boolean): ReturnType<typeof compilePattern> {
  const key = `${ignoreCase} ${text}`;
  if (patterns.has(key)) return patterns.get(key);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  const compiled = compilePattern(text, { ignoreCase });
  patterns.set(key, compiled);
  return compiled;
}

/** Negative if the value is less, 0 if equal, NaN if it cannot be compared. */
function order(operator: string, value: string, other: string): number {
  if (operator.startsWith('NUM_')) return value.trim() === '' ? Number.NaN : Number(value) - Number(other);
  if (operator.startsWith('DATE_')) return Date.parse(value) - Date.parse(other);
  const [left, right] = [versionOf(value), versionOf(other)];
  if (!left || !right) return Number.NaN;
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** Sampled contexts have no prerelease versions, so three numbers are enough. */
const versionOf = (text: string): number[] | undefined =>
  /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);

function isOrdered(operator: string, difference: number): boolean {
  if (/_(LT|BEFORE)$/.test(operator)) return difference < 0;
  if (/_(GT|AFTER)$/.test(operator)) return difference > 0;
  if (operator.endsWith('_LTE')) return difference <= 0;
  if (operator.endsWith('_GTE')) return difference >= 0;
  return difference === 0;
}
