import { exceedsLimit, type Violation } from '@halyard/plane/platform/errors.ts';
import { findConstraintValueProblem, findContextNameProblem } from '../rule-text/violations.ts';
import type { Constraint, Operator } from './schema.ts';
import { isAddressRange, isDate, isNumber, isVersion, normalizeDate, normalizeNumber } from './values.ts';

const MAX_CONSTRAINTS = 30;
const MAX_VALUES = 250;

/** The legal values of context fields, by field name. A field without an entry allows any value. */
export type LegalValues = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns both forms of a legal value, as written and as stored, so that a constraint from a response can be sent back. */
export const listLegalForms = (legalValue: string): string[] => {
  const value = legalValue.trim();
  return [value, isDate(value) ? normalizeDate(value) : isNumber(value) ? normalizeNumber(value) : value];
};

const ANY_VALUE: ReadonlySet<string> = new Set();

/** The values that constraints may contain: the legal values of context fields, and the patterns that compile. */
export type AcceptedValues = { legalValues: LegalValues; patterns: ReadonlySet<string> };

type ValueRule = {
  prefix: string;
  isValid: (value: string, acceptedValues: AcceptedValues) => boolean;
  message: string;
  normalize?: (value: string) => string;
};

/** Rules for the operators with one value, by the prefix of the operator. All other operators take a list. */
const VALUE_RULES: ValueRule[] = [
  {
    prefix: 'NUM_',
    isValid: isNumber,
    message: 'must be a number such as 10 or -2.5',
    normalize: normalizeNumber,
  },
  {
    prefix: 'DATE_',
    isValid: isDate,
    message: 'must be a date such as 2026-11-15 or 2026-11-15T09:30:00Z',
    normalize: normalizeDate,
  },
  { prefix: 'SEMVER_', isValid: isVersion, message: 'must be a semantic version such as 1.4.0' },
  {
    prefix: 'REGEX',
    isValid: (value, { patterns }) => patterns.has(value),
    message: 'is not a valid pattern in RE2 syntax',
  },
];

/** Returns the violations of a list of constraints. `path` points to the list in the request. */
export function findConstraintListViolations(
  constraints: readonly Constraint[],
  path: string,
  acceptedValues: AcceptedValues,
): Violation[] {
  return constraints.flatMap((constraint, index) =>
    findConstraintViolations(constraint, `${path}/${index}`, acceptedValues),
  );
}

export function findConstraintViolations(
  constraint: Constraint,
  path: string,
  acceptedValues: AcceptedValues,
): Violation[] {
  const legalValues = acceptedValues.legalValues.get(constraint.contextName) ?? ANY_VALUE;
  const rule = findValueRule(constraint.operator);
  return [
    ...(rule
      ? findValueViolations(constraint, rule, path, legalValues, acceptedValues)
      : findListViolations(constraint, path, legalValues)),
    ...findEngineViolations(constraint, path),
  ];
}

/** Finds strings that break the engine of some SDKs (rule-text/violations.ts). */
function findEngineViolations({ contextName, values = [], value }: Constraint, path: string): Violation[] {
  const problems: [string, string | undefined][] = [
    [`${path}/contextName`, findContextNameProblem(contextName)],
    ...values.map((listValue, index): [string, string | undefined] => [
      `${path}/values/${index}`,
      findConstraintValueProblem(listValue.trim()),
    ]),
    [`${path}/value`, value === undefined ? undefined : findConstraintValueProblem(value)],
  ];
  return problems.flatMap(([problemPath, problem]) =>
    problem === undefined ? [] : [makeViolation(problemPath, problem)],
  );
}

const findValueRule = (operator: Operator): ValueRule | undefined =>
  VALUE_RULES.find(({ prefix }) => operator.startsWith(prefix));

function* findValueViolations(
  { operator, value, contextName }: Constraint,
  rule: ValueRule,
  path: string,
  legalValues: ReadonlySet<string>,
  acceptedValues: AcceptedValues,
): Generator<Violation> {
  if (value === undefined || value === '')
    yield makeViolation(`${path}/value`, `is required for operator ${operator}`);
  else if (!rule.isValid(value, acceptedValues)) yield makeViolation(`${path}/value`, rule.message);
  else if (operator !== 'REGEX' && !isLegal(value, legalValues))
    yield makeViolation(`${path}/value`, describeIllegalValue(contextName));
}

function* findListViolations(
  { operator, values = [], contextName }: Constraint,
  path: string,
  legalValues: ReadonlySet<string>,
): Generator<Violation> {
  if (values.length === 0)
    yield makeViolation(`${path}/values`, `must have at least one item for operator ${operator}`);
  for (const [index, value] of values.entries()) {
    const problem = findListedValueProblem(operator, value.trim(), legalValues, contextName);
    if (problem !== undefined) yield makeViolation(`${path}/values/${index}`, problem);
  }
}

/**
 * Returns why a value is invalid. A whitespace-only value is rejected, because SDKs trim it to an empty string, which every
 * string contains.
 */
function findListedValueProblem(
  operator: Operator,
  value: string,
  legalValues: ReadonlySet<string>,
  contextName: string,
): string | undefined {
  if (value === '') return 'must not be blank';
  if (operator !== 'IN_CIDR')
    return isLegal(value, legalValues) ? undefined : describeIllegalValue(contextName);
  return isAddressRange(value)
    ? undefined
    : 'must be an IP address or a range such as 10.0.0.0/8 or 2001:db8::/32';
}

const isLegal = (value: string, legalValues: ReadonlySet<string>): boolean =>
  legalValues.size === 0 || legalValues.has(value);
const describeIllegalValue = (contextName: string): string =>
  `is not a legal value for context field "${contextName}"`;

/** Makes a violation whose message looks like that of a schema violation (platform/http/input/violations.ts). */
const makeViolation = (path: string, problem: string): Violation => ({
  message: `${path.split('/').slice(2).join('.')} ${problem}`,
  path,
});

/** Rejects a list with too many constraints, or a constraint with too many values. */
export function rejectTooManyConstraints(constraints: readonly Constraint[]): void {
  if (constraints.length > MAX_CONSTRAINTS)
    throw exceedsLimit(
      `A list can have at most ${MAX_CONSTRAINTS} constraints; this one has ${constraints.length}.`,
    );
  const longConstraint = constraints.find(({ values = [] }) => values.length > MAX_VALUES);
  if (longConstraint)
    throw exceedsLimit(
      `A constraint can have at most ${MAX_VALUES} values; the one on "${longConstraint.contextName}" has ${longConstraint.values?.length}.`,
    );
}

/**
 * Returns the constraint as it is stored: unknown fields are dropped, defaults are filled in, and values are in a form that all
 * SDKs read in the same way, because only some SDKs trim them.
 */
export function normalizeConstraint(constraint: Constraint) {
  const { contextName, operator, values = [], value, inverted = false, caseInsensitive = false } = constraint;
  const trimmedValues = values.map(listValue => listValue.trim());
  const fields = { contextName, operator, values: trimmedValues, inverted, caseInsensitive };
  const { normalize } = findValueRule(operator) ?? {};
  return value === undefined ? fields : { ...fields, value: normalize?.(value) ?? value };
}
