import { validPatterns } from '../../../targeting/constraints/patterns.ts';
import {
  constraintListViolations,
  legalForms,
  normaliseConstraint,
} from '../../../targeting/constraints/rules.ts';
import { type Constraint, OPERATORS, type Operator } from '../../../targeting/constraints/schema.ts';
import { listOf, objectOf, type Source, textOf } from '../source/source.ts';
import type { Problem } from './kind.ts';
import { acceptable, legalValuesByField, rejected } from './vocabulary.ts';

export type Rules = { legalValues: ReadonlyMap<string, ReadonlySet<string>> };

/** The longest list that the API accepts. A longer one is stored with --accept. */
const MAX_CONSTRAINTS = 30;
const MAX_VALUES = 250;
/** No API request could change a longer list, and every SDK would pay for reading it. */
const MAX_STORED_VALUES = 100_000;

export async function rulesOf(source: Source): Promise<Rules> {
  const legal = await legalValuesByField(source);
  return {
    legalValues: new Map([...legal].map(([name, values]) => [name, new Set(values.flatMap(legalForms))])),
  };
}

/** A constraint as Halyard stores it. Values are kept as they are, because trimming one could change which users match. */
export function asConstraint(stored: unknown): Constraint {
  const { contextName, operator, values, value, inverted, caseInsensitive } = objectOf(stored);
  const constraint = {
    contextName: textOf(contextName),
    operator: textOf(operator) as Operator,
    values: listOf(values).map(textOf),
    inverted: inverted === true,
    caseInsensitive: caseInsensitive === true,
  };
  return value === undefined || value === null || value === ''
    ? constraint
    : { ...constraint, value: textOf(value) };
}

/** What validation rejects about the constraints. SDKs still evaluate them the same way, because they get what is stored. */
export async function constraintProblems(
  constraints: Constraint[],
  { legalValues }: Rules,
): Promise<Problem[]> {
  const patterns = await validPatterns(constraints);
  const violations = constraintListViolations(constraints, '/body/constraints', { legalValues, patterns });
  const tooLong = constraints.filter(({ values = [] }) => values.length > MAX_VALUES);
  return [
    ...violations.map(({ message }) => acceptable(message)),
    ...constraints
      .filter(({ operator }) => !OPERATORS.includes(operator))
      .map(({ contextName, operator }) =>
        rejected(`the constraint on "${contextName}" has the unknown operator "${operator}"`),
      ),
    ...(constraints.length > MAX_CONSTRAINTS
      ? [acceptable(`${constraints.length} constraints; the maximum is ${MAX_CONSTRAINTS}`)]
      : []),
    ...tooLong.map(({ contextName, values = [] }) =>
      (values.length > MAX_STORED_VALUES ? rejected : acceptable)(
        `the constraint on "${contextName}" has ${values.length} values; the maximum is ${MAX_VALUES}`,
      ),
    ),
    ...constraints.flatMap(constraint =>
      normaliseConstraint(constraint).values.some((value, at) => value !== constraint.values?.[at])
        ? [
            acceptable(
              `a value of the constraint on "${constraint.contextName}" begins or ends with whitespace`,
            ),
          ]
        : [],
    ),
  ];
}
