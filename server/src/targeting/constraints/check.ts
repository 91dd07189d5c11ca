import { exceedsLimit, type Violation } from '../../platform/errors.ts';
import type { Constraint, Operator } from './schema.ts';
import { isDate, isNumber, isVersion } from './values.ts';

const MAX_CONSTRAINTS = 30;
const MAX_VALUES = 250;

/** The values a context field allows, by its name; a field without an entry allows all. */
export type LegalValues = ReadonlyMap<string, ReadonlySet<string>>;

const NONE: ReadonlySet<string> = new Set();

/** What a constraint is compared with: legal values by field, and the patterns that are valid. */
export type Rules = { legalValues: LegalValues; patterns: ReadonlySet<string> };

type ValueRule = { operators: string; fits: (value: string, rules: Rules) => boolean; says: string };

/** Operators with one value, by how they begin; all others take a list. */
const VALUE_RULES: ValueRule[] = [
  { operators: 'NUM_', fits: isNumber, says: 'must be a number' },
  {
    operators: 'DATE_',
    fits: isDate,
    says: 'must be a date such as 2026-11-15 or 2026-11-15T09:30:00Z',
  },
  { operators: 'SEMVER_', fits: isVersion, says: 'must be a semantic version such as 1.4.0' },
  {
    operators: 'REGEX',
    fits: (value, { patterns }) => patterns.has(value),
    says: 'is not valid in RE2 syntax',
  },
];

/** Everything that is wrong with a list of constraints; `path` is where the list stands in the request. */
export function constraintViolations(
  constraints: readonly Constraint[],
  path: string,
  rules: Rules,
): Violation[] {
  return constraints.flatMap((constraint, index) => violationsOfOne(constraint, `${path}/${index}`, rules));
}

/** The same for one constraint. */
export function violationsOfOne(constraint: Constraint, path: string, rules: Rules): Violation[] {
  const legal = rules.legalValues.get(constraint.contextName) ?? NONE;
  const rule = ruleOf(constraint.operator);
  return rule
    ? [...valueViolations(constraint, rule, path, legal, rules)]
    : [...listViolations(constraint, path, legal)];
}

const ruleOf = (operator: Operator): ValueRule | undefined =>
  VALUE_RULES.find(({ operators }) => operator.startsWith(operators));

function* valueViolations(
  { operator, value, inverted, contextName }: Constraint,
  rule: ValueRule,
  path: string,
  legal: ReadonlySet<string>,
  rules: Rules,
): Generator<Violation> {
  const isRegex = operator === 'REGEX';
  if (value === undefined || value === '') yield at(`${path}/value`, `is required with ${operator}`);
  else if (!rule.fits(value, rules)) yield at(`${path}/value`, rule.says);
  else if (!isRegex && !isLegal(value, legal)) yield at(`${path}/value`, notLegal(contextName));
  if (isRegex && inverted) yield at(`${path}/inverted`, 'must not be true with REGEX');
}

function* listViolations(
  { operator, values = [], contextName }: Constraint,
  path: string,
  legal: ReadonlySet<string>,
): Generator<Violation> {
  if (values.length === 0) yield at(`${path}/values`, `must have at least one item with ${operator}`);
  for (const [index, value] of values.entries()) {
    if (!isLegal(value, legal)) yield at(`${path}/values/${index}`, notLegal(contextName));
  }
}

const isLegal = (value: string, legal: ReadonlySet<string>): boolean => legal.size === 0 || legal.has(value);
const notLegal = (contextName: string): string => `is none of the legal values of ${contextName}`;

/** Worded like what the schemas find (platform/http/violations.ts). */
const at = (path: string, says: string): Violation => ({
  message: `${path.split('/').slice(2).join('.')} ${says}`,
  path,
});

/** Refuses more constraints, or more values in one, than a list may have. */
export function refuseTooMany(constraints: readonly Constraint[]): void {
  if (constraints.length > MAX_CONSTRAINTS)
    throw exceedsLimit(`At most ${MAX_CONSTRAINTS} constraints may stand together.`);
  if (constraints.some(({ values = [] }) => values.length > MAX_VALUES))
    throw exceedsLimit(`A constraint has at most ${MAX_VALUES} values.`);
}

/** What is stored of a constraint: its own fields and nothing else, with the defaults written out. */
export function normaliseConstraint(constraint: Constraint) {
  const { contextName, operator, values = [], value, inverted = false, caseInsensitive = false } = constraint;
  const fields = { contextName, operator, values, inverted, caseInsensitive };
  return value === undefined ? fields : { ...fields, value };
}
