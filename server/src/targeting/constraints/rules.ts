import { exceedsLimit, type Violation } from '../../../../plane/src/platform/errors.ts';
import { constraintValueProblem, contextNameProblem } from '../rule-text/violations.ts';
import type { Constraint, Operator } from './schema.ts';
import { isAddressRange, isDate, isNumber, isVersion, storedDate, storedNumber } from './values.ts';

const MAX_CONSTRAINTS = 30;
const MAX_VALUES = 250;

/** The legal values of context fields, by field name. A field without an entry allows every value. */
export type LegalValues = ReadonlyMap<string, ReadonlySet<string>>;

/** A legal value as it is written, and as constraints store it, so that a constraint from a response can be sent back. */
export const legalForms = (legalValue: string): string[] => {
  const value = legalValue.trim();
  return [value, isDate(value) ? storedDate(value) : isNumber(value) ? storedNumber(value) : value];
};

const NONE: ReadonlySet<string> = new Set();

/** The data that constraints are checked against: the legal values, and the patterns that compile. */
export type Rules = { legalValues: LegalValues; patterns: ReadonlySet<string> };

type ValueRule = {
  prefix: string;
  isValid: (value: string, rules: Rules) => boolean;
  message: string;
  stored?: (value: string) => string;
};

/** Rules for the operators with one value, by the prefix of the operator. All other operators take a list. */
const VALUE_RULES: ValueRule[] = [
  {
    prefix: 'NUM_',
    isValid: isNumber,
    message: 'must be a number such as 10 or -2.5',
    stored: storedNumber,
  },
  {
    prefix: 'DATE_',
    isValid: isDate,
    message: 'must be a date such as 2026-11-15 or 2026-11-15T09:30:00Z',
    stored: storedDate,
  },
  { prefix: 'SEMVER_', isValid: isVersion, message: 'must be a semantic version such as 1.4.0' },
  {
    prefix: 'REGEX',
    isValid: (value, { patterns }) => patterns.has(value),
    message: 'is not a valid pattern in RE2 syntax',
  },
];

/** The violations of a list of constraints. `path` points to the list in the request. */
export function constraintListViolations(
  constraints: readonly Constraint[],
  path: string,
  rules: Rules,
): Violation[] {
  return constraints.flatMap((constraint, index) =>
    constraintViolations(constraint, `${path}/${index}`, rules),
  );
}

export function constraintViolations(constraint: Constraint, path: string, rules: Rules): Violation[] {
  const legal = rules.legalValues.get(constraint.contextName) ?? NONE;
  const rule = valueRuleFor(constraint.operator);
  return [
    ...(rule
      ? valueViolations(constraint, rule, path, legal, rules)
      : listViolations(constraint, path, legal)),
    ...ruleTextViolations(constraint, path),
  ];
}

/** Strings that some SDKs cannot read. */
function ruleTextViolations({ contextName, values = [], value }: Constraint, path: string): Violation[] {
  const problems: [string, string | undefined][] = [
    [`${path}/contextName`, contextNameProblem(contextName)],
    ...values.map((one, index): [string, string | undefined] => [
      `${path}/values/${index}`,
      constraintValueProblem(one.trim()),
    ]),
    [`${path}/value`, value === undefined ? undefined : constraintValueProblem(value)],
  ];
  return problems.flatMap(([place, problem]) => (problem === undefined ? [] : [violation(place, problem)]));
}

const valueRuleFor = (operator: Operator): ValueRule | undefined =>
  VALUE_RULES.find(({ prefix }) => operator.startsWith(prefix));

function* valueViolations(
  { operator, value, contextName }: Constraint,
  rule: ValueRule,
  path: string,
  legal: ReadonlySet<string>,
  rules: Rules,
): Generator<Violation> {
  if (value === undefined || value === '') yield violation(`${path}/value`, `is required with ${operator}`);
  else if (!rule.isValid(value, rules)) yield violation(`${path}/value`, rule.message);
  else if (operator !== 'REGEX' && !isLegal(value, legal))
    yield violation(`${path}/value`, notLegal(contextName));
}

function* listViolations(
  { operator, values = [], contextName }: Constraint,
  path: string,
  legal: ReadonlySet<string>,
): Generator<Violation> {
  if (values.length === 0) yield violation(`${path}/values`, `must have at least one item with ${operator}`);
  for (const [index, given] of values.entries()) {
    const problem = listedValueProblem(operator, given.trim(), legal, contextName);
    if (problem !== undefined) yield violation(`${path}/values/${index}`, problem);
  }
}

/** A value of only whitespace is rejected, because an SDK that trims it would find it in every string. */
function listedValueProblem(
  operator: Operator,
  value: string,
  legal: ReadonlySet<string>,
  contextName: string,
): string | undefined {
  if (value === '') return 'must not be blank';
  if (operator !== 'IN_CIDR') return isLegal(value, legal) ? undefined : notLegal(contextName);
  return isAddressRange(value)
    ? undefined
    : 'must be an IP address or a range such as 10.0.0.0/8 or 2001:db8::/32';
}

const isLegal = (value: string, legal: ReadonlySet<string>): boolean => legal.size === 0 || legal.has(value);
const notLegal = (contextName: string): string => `is not a legal value of context field "${contextName}"`;

/** The message has the form of a schema violation (platform/http/input/violations.ts). */
const violation = (path: string, problem: string): Violation => ({
  message: `${path.split('/').slice(2).join('.')} ${problem}`,
  path,
});

/** Rejects a list with too many constraints, or a constraint with too many values. */
export function rejectTooMany(constraints: readonly Constraint[]): void {
  if (constraints.length > MAX_CONSTRAINTS)
    throw exceedsLimit(
      `A list can have at most ${MAX_CONSTRAINTS} constraints; this one has ${constraints.length}.`,
    );
  const tooLong = constraints.find(({ values = [] }) => values.length > MAX_VALUES);
  if (tooLong)
    throw exceedsLimit(
      `A constraint can have at most ${MAX_VALUES} values; the one on "${tooLong.contextName}" has ${tooLong.values?.length}.`,
    );
}

/**
 * The constraint as it is stored: unknown fields are dropped, defaults are filled in, and every SDK reads the same from its
 * values. Some SDKs trim values and others do not.
 */
export function normaliseConstraint(constraint: Constraint) {
  const { contextName, operator, values = [], value, inverted = false, caseInsensitive = false } = constraint;
  const trimmed = values.map(one => one.trim());
  const fields = { contextName, operator, values: trimmed, inverted, caseInsensitive };
  const { stored } = valueRuleFor(operator) ?? {};
  return value === undefined ? fields : { ...fields, value: stored?.(value) ?? value };
}
