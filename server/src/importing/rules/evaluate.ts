import { compilePattern } from '@halyard/plane/platform/pattern.ts';
import type { Context } from 'unleash-client/lib/context.js';
import {
  type AnyOf,
  type Comparison,
  type Condition,
  type Flag,
  isSegment,
  type Serve,
  type Targeting,
} from './model.ts';

/**
 * Returns the variations that a context can get. There are several if a rule splits users, because each product hashes users
 * differently.
 */
export function listPossibleVariations(
  flag: Flag,
  { on, rules, otherwise, off, negationMatchesMissingField = false }: Targeting,
  context: Context,
): number[] {
  if (!on) return off === undefined ? [] : [off];
  const serves = rules
    .filter(({ when }) => matches(when, context, negationMatchesMissingField))
    .map(({ serve }) => serve);
  // Later rules are never reached, because only a share lets users continue with the next rule.
  const lastIndex = serves.findIndex(serve => !('share' in serve));
  const reachableServes = lastIndex < 0 ? [...serves, otherwise] : serves.slice(0, lastIndex + 1);
  return reachableServes.flatMap(serve => listVariations(flag, serve));
}

function listVariations({ variations }: Flag, serve: Serve): number[] {
  if (!('split' in serve)) return [serve.variation];
  return serve.split
    .filter(({ weight, variation }) => weight > 0 && variations[variation] !== undefined)
    .map(({ variation }) => variation);
}

const matches = (when: AnyOf, context: Context, negationMatchesMissingField: boolean): boolean =>
  when.some(conditions =>
    conditions.every(condition => isTrue(condition, context, negationMatchesMissingField)),
  );

function isTrue(condition: Condition, context: Context, negationMatchesMissingField: boolean): boolean {
  if (isSegment(condition))
    return condition.comparisons.every(comparison =>
      isTrue(comparison, context, negationMatchesMissingField),
    );
  const value = readField(condition.field, context);
  if (value === undefined) return negationMatchesMissingField && condition.negated;
  return compare(condition, value) !== condition.negated;
}

const readField = (field: string, context: Context): string | undefined =>
  field === 'userId' ? context.userId : context.properties?.[field]?.toString();

function compare({ operator, values, caseInsensitive = false }: Comparison, input: string): boolean {
  const fold = (text: string) => (caseInsensitive ? text.toLowerCase() : text);
  const value = fold(input);
  const matchesAny = (test: (text: string) => boolean) => values.some(expected => test(fold(expected)));
  switch (operator) {
    case 'IN':
      return matchesAny(expected => expected === value);
    case 'STR_CONTAINS':
      return matchesAny(expected => value.includes(expected));
    case 'STR_STARTS_WITH':
      return matchesAny(expected => value.startsWith(expected));
    case 'STR_ENDS_WITH':
      return matchesAny(expected => value.endsWith(expected));
    case 'REGEX':
      return values.some(pattern => getPattern(pattern, caseInsensitive)?.matcher(input).find() ?? false);
    default:
      return satisfiesOrder(operator, compareOrder(operator, value, values[0] ?? ''));
  }
}

const MAX_PATTERNS = 1_000;
const patterns = new Map<string, ReturnType<typeof compilePattern>>();

/** Compiles a pattern, which matches in linear time. An invalid pattern matches nothing, and validation rejects it later. */
function getPattern(text: string, ignoreCase: boolean): ReturnType<typeof compilePattern> {
  const key = `${ignoreCase} ${text}`;
  if (patterns.has(key)) return patterns.get(key);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  const compiledPattern = compilePattern(text, { ignoreCase });
  patterns.set(key, compiledPattern);
  return compiledPattern;
}

/** Returns a negative number if the first value is less, 0 if the values are equal, and NaN if they cannot be compared. */
function compareOrder(operator: string, value: string, otherValue: string): number {
  if (operator.startsWith('NUM_'))
    return value.trim() === '' ? Number.NaN : Number(value) - Number(otherValue);
  if (operator.startsWith('DATE_')) return Date.parse(value) - Date.parse(otherValue);
  const [left, right] = [parseVersion(value), parseVersion(otherValue)];
  if (!left || !right) return Number.NaN;
  const position = left.findIndex((part, index) => part !== right[index]);
  return position < 0 ? 0 : (left[position] ?? 0) - (right[position] ?? 0);
}

/** Parses three numbers, which is enough because sampled contexts have no prerelease versions. */
const parseVersion = (text: string): number[] | undefined =>
  /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);

function satisfiesOrder(operator: string, difference: number): boolean {
  if (/_(LT|BEFORE)$/.test(operator)) return difference < 0;
  if (/_(GT|AFTER)$/.test(operator)) return difference > 0;
  if (operator.endsWith('_LTE')) return difference <= 0;
  if (operator.endsWith('_GTE')) return difference >= 0;
  return difference === 0;
}
