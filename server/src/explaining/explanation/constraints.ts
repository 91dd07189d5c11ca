import { Address4, Address6 } from 'ip-address';
import type { RE2JS } from 're2js';
import semver from 'semver';
import { compilePattern } from '../../../../plane/src/platform/pattern.ts';
import { type Context, contextValue } from './context.ts';
import type { Constraint } from './document.ts';

/** The outcome of a constraint, and the value of the context that it compared. */
export type CheckedConstraint = Constraint & { result: boolean; actual: string | null };

/** Compiled patterns by their source. Each request has its own. */
export type Patterns = Map<string, RE2JS | undefined>;

const MAX_PATTERNS = 1_000;

type Check = (constraint: Constraint, actual: string | undefined, patterns: Patterns) => boolean;

const listed = ({ values = [] }: Constraint): string[] =>
  values.filter(value => value !== '').map(value => value.trim());

const isIn: Check = (constraint, actual) => listed(constraint).some(value => value === actual);

const text =
  (test: (actual: string, value: string) => boolean): Check =>
  (constraint, actual) => {
    if (actual === undefined) return false;
    const fold = (given: string) => (constraint.caseInsensitive ? given.toLocaleLowerCase() : given);
    const folded = fold(actual);
    return listed(constraint).some(value => test(folded, fold(value)));
  };

const number =
  (test: (actual: number, value: number) => boolean): Check =>
  ({ value }, actual) => {
    const [left, right] = [Number(actual), Number(value)];
    return !Number.isNaN(left) && !Number.isNaN(right) && test(left, right);
  };

/** Dates that cannot be read compare as false. */
const date =
  (test: (actual: number, value: number) => boolean): Check =>
  ({ value = '' }, actual = '') =>
    test(new Date(actual).getTime(), new Date(value).getTime());

const version =
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
  const ranges = listed(constraint);
  if (Address4.isValid(actual)) {
    const address = new Address4(actual);
    return ranges
      .filter(range => Address4.isValid(range))
      .some(range => within(address, new Address4(range)));
  }
  if (!Address6.isValid(actual)) return false;
  const address = new Address6(actual);
  return ranges.filter(range => Address6.isValid(range)).some(range => within(address, new Address6(range)));
};

const within = <T extends Address4 | Address6>(address: T, range: T): boolean =>
  address.correctForm() === range.correctForm() || address.isInSubnet(range as never);

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['IN', isIn],
  ['NOT_IN', (...given) => !isIn(...given)],
  ['STR_STARTS_WITH', text((actual, value) => actual.startsWith(value))],
  ['STR_ENDS_WITH', text((actual, value) => actual.endsWith(value))],
  ['STR_CONTAINS', text((actual, value) => actual.includes(value))],
  ['NUM_EQ', number((actual, value) => actual === value)],
  ['NUM_GT', number((actual, value) => actual > value)],
  ['NUM_GTE', number((actual, value) => actual >= value)],
  ['NUM_LT', number((actual, value) => actual < value)],
  ['NUM_LTE', number((actual, value) => actual <= value)],
  ['DATE_AFTER', date((actual, value) => actual > value)],
  ['DATE_BEFORE', date((actual, value) => actual < value)],
  ['SEMVER_EQ', version((actual, value) => semver.eq(actual, value))],
  ['SEMVER_GT', version((actual, value) => semver.gt(actual, value))],
  ['SEMVER_GTE', version((actual, value) => semver.gte(actual, value))],
  ['SEMVER_LT', version((actual, value) => semver.lt(actual, value))],
  ['SEMVER_LTE', version((actual, value) => semver.lte(actual, value))],
  ['REGEX', matchesPattern],
  ['IN_CIDR', isInRange],
]);

/** Dates are compared with the time of the evaluation, whatever field the constraint names. */
export const isDateOperator = (operator: string): boolean => operator.startsWith('DATE_');

/** An unknown operator evaluates to false, inverted or not. `now` is the time of a context without currentTime. */
export function checkConstraint(
  constraint: Constraint,
  context: Context,
  now: string,
  patterns: Patterns,
): CheckedConstraint {
  const check = CHECKS.get(constraint.operator);
  const actual = isDateOperator(constraint.operator)
    ? context.currentTime || now
    : contextValue(context, constraint.contextName);
  const result =
    check !== undefined && check(constraint, actual, patterns) !== (constraint.inverted === true);
  return { ...constraint, result, actual: actual ?? null };
}
