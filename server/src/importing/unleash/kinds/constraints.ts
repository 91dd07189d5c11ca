import { listValidPatterns } from '../../../targeting/constraints/patterns.ts';
import {
  findConstraintListViolations,
  listLegalForms,
  normalizeConstraint,
} from '../../../targeting/constraints/rules.ts';
import { type Constraint, OPERATORS, type Operator } from '../../../targeting/constraints/schema.ts';
import { parseList, parseObject, type Source, toText } from '../source/source.ts';
import type { Problem } from './kind.ts';
import { acceptableProblem, readLegalValues, rejectedProblem } from './vocabulary.ts';

export type Rules = { legalValues: ReadonlyMap<string, ReadonlySet<string>> };

/** The longest lists that the API accepts. Longer lists are stored only with --accept. */
const MAX_CONSTRAINTS = 30;
const MAX_VALUES = 250;
/** No API request could change a longer list, and every SDK would have to download it. */
const MAX_STORED_VALUES = 100_000;

export async function readRules(source: Source): Promise<Rules> {
  const collectValues = await readLegalValues(source);
  return {
    legalValues: new Map(
      [...collectValues].map(([name, values]) => [name, new Set(values.flatMap(listLegalForms))]),
    ),
  };
}

/** Returns a constraint as Halyard stores it. Values are kept as they are, because trimming one could change which users match. */
export function asConstraint(storedConstraint: unknown): Constraint {
  const { contextName, operator, values, value, inverted, caseInsensitive } = parseObject(storedConstraint);
  const constraint = {
    contextName: toText(contextName),
    operator: toText(operator) as Operator,
    values: parseList(values).map(toText),
    inverted: inverted === true,
    caseInsensitive: caseInsensitive === true,
  };
  return value === undefined || value === null || value === ''
    ? constraint
    : { ...constraint, value: toText(value) };
}

/**
 * Returns what validation would reject in the constraints. Constraints that are stored anyway still work as in Unleash, because SDKs
 * receive them unchanged.
 */
export async function findConstraintProblems(
  constraints: Constraint[],
  { legalValues }: Rules,
): Promise<Problem[]> {
  const patterns = await listValidPatterns(constraints);
  const violations = findConstraintListViolations(constraints, '/body/constraints', {
    legalValues,
    patterns,
  });
  const longConstraints = constraints.filter(({ values = [] }) => values.length > MAX_VALUES);
  return [
    ...violations.map(({ message }) => acceptableProblem(message)),
    ...constraints
      .filter(({ operator }) => !OPERATORS.includes(operator))
      .map(({ contextName, operator }) =>
        rejectedProblem(`the constraint on "${contextName}" has the unknown operator "${operator}"`),
      ),
    ...(constraints.length > MAX_CONSTRAINTS
      ? [acceptableProblem(`${constraints.length} constraints; the maximum is ${MAX_CONSTRAINTS}`)]
      : []),
    ...longConstraints.map(({ contextName, values = [] }) =>
      (values.length > MAX_STORED_VALUES ? rejectedProblem : acceptableProblem)(
        `the constraint on "${contextName}" has ${values.length} values; the maximum is ${MAX_VALUES}`,
      ),
    ),
    ...constraints.flatMap(constraint =>
      normalizeConstraint(constraint).values.some((value, index) => value !== constraint.values?.[index])
        ? [
            acceptableProblem(
              `a value of the constraint on "${constraint.contextName}" begins or ends with whitespace`,
            ),
          ]
        : [],
    ),
  ];
}
