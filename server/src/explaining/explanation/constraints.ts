import { compilePattern } from '@halyard/plane/platform/pattern.ts';
import { Address4, Address6 } from 'ip-address';
import type { RE2JS } from 're2js';
import semver from 'semver';
import { type Context, getContextValue } from './context.ts';
import type { Constraint } from './document.ts';

/** The outcome of a constraint, and the context value that it compared. */
export type CheckedConstraint = Constraint & { result: boolean; actual: string | null };

/** Compiled patterns by their source, or undefined for invalid ones. Each request has its own map. */
export type Patterns = Map<string, RE2JS | undefined>;

const MAX_PATTERNS = 1_000;

type Check = (constraint: Constraint, actual: string | undefined, patterns: Patterns) => boolean;

const trimValues = ({ values = [] }: Constraint): string[] =>
  values.filter(value => value !== '').map(value => value.trim());

const isIn: Check = (constraint, actual) => trimValues(constraint).some(value => value === actual);

const makeTextCheck =
  (test: (actual: string, value: string) => boolean): Check =>
  (constraint, actual) => {
    if (actual === undefined) return false;
    const fold = (value: string) => (constraint.caseInsensitive ? value.toLocaleLowerCase() : value);
    const foldedActual = fold(actual);
    return trimValues(constraint).some(value => test(foldedActual, fold(value)));
  };

const makeNumberCheck =
  (test: (actual: number, value: number) => boolean): Check =>
  ({ value }, actual) => {
    const [left, right] = [Number(actual), Number(value)];
    return !Number.isNaN(left) && !Number.isNaN(right) && test(left, right);
  };

/** Creates a date check. A comparison with an invalid date is false. */
const makeDateCheck =
  (test: (actual: number, value: number) => boolean): Check =>
  ({ value = '' }, actual = '') =>
    test(new Date(actual).getTime(), new Date(value).getTime());

const makeVersionCheck =
  (test: (actual: string, value: string) => boolean): Check =>
  ({ value = '' }, actual) => {
    if (!actual || actual.startsWith('v') || semver.valid(actual) === null) return false;
    try {
      return test(actual, value);
    } catch {
      return false;
    }
  };

const matchesPattern: Check = ({ value = '', caseInsensitive = false }, actual, patterns) => {
  if (actual === undefined) return false;
  const key = `${caseInsensitive ? 'i' : ' '}${value}`;
  if (!patterns.has(key)) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(key, compilePattern(value, { ignoreCase: caseInsensitive }));
  }
  return patterns.get(key)?.matcher(actual).find() ?? false;
};

const isInRange: Check = (constraint, actual) => {
  if (actual === undefined) return false;
  const ranges = trimValues(constraint);
  if (Address4.isValid(actual)) {
    const address = new Address4(actual);
    return ranges
      .filter(range => Address4.isValid(range))
      .some(range => isInSubnet(address, new Address4(range)));
  }
  if (!Address6.isValid(actual)) return false;
  const address = new Address6(actual);
  return ranges
    .filter(range => Address6.isValid(range))
    .some(range => isInSubnet(address, new Address6(range)));
};

const isInSubnet = <T extends Address4 | Address6>(address: T, range: T): boolean =>
  address.correctForm() === range.correctForm() || address.isInSubnet(range as never);

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['IN', isIn],
  ['NOT_IN', (...input) => !isIn(...input)],
  ['STR_STARTS_WITH', makeTextCheck((actual, value) => actual.startsWith(value))],
  ['STR_ENDS_WITH', makeTextCheck((actual, value) => actual.endsWith(value))],
  ['STR_CONTAINS', makeTextCheck((actual, value) => actual.includes(value))],
  ['NUM_EQ', makeNumberCheck((actual, value) => actual === value)],
  ['NUM_GT', makeNumberCheck((actual, value) => actual > value)],
  ['NUM_GTE', makeNumberCheck((actual, value) => actual >= value)],
  ['NUM_LT', makeNumberCheck((actual, value) => actual < value)],
  ['NUM_LTE', makeNumberCheck((actual, value) => actual <= value)],
  ['DATE_AFTER', makeDateCheck((actual, value) => actual > value)],
  ['DATE_BEFORE', makeDateCheck((actual, value) => actual < value)],
  ['SEMVER_EQ', makeVersionCheck((actual, value) => semver.eq(actual, value))],
  ['SEMVER_GT', makeVersionCheck((actual, value) => semver.gt(actual, value))],
  ['SEMVER_GTE', makeVersionCheck((actual, value) => semver.gte(actual, value))],
  ['SEMVER_LT', makeVersionCheck((actual, value) => semver.lt(actual, value))],
  ['SEMVER_LTE', makeVersionCheck((actual, value) => semver.lte(actual, value))],
  ['REGEX', matchesPattern],
  ['IN_CIDR', isInRange],
]);

/** Returns whether the operator compares dates, in which case it uses the evaluation time, whichever field the constraint names. */
export const isDateOperator = (operator: string): boolean => operator.startsWith('DATE_');

/**
 * Checks a constraint. An unknown operator evaluates to false, whether or not it is inverted. `now` is the evaluation time if
 * the context has no currentTime.
 */
export function checkConstraint(
  constraint: Constraint,
  context: Context,
  now: string,
  patterns: Patterns,
): CheckedConstraint {
  const check = CHECKS.get(constraint.operator);
  const actual = isDateOperator(constraint.operator)
    ? context.currentTime || now
    : getContextValue(context, constraint.contextName);
  const result =
    check !== undefined && check(constraint, actual, patterns) !== (constraint.inverted === true);
  return { ...constraint, result, actual: actual ?? null };
}
