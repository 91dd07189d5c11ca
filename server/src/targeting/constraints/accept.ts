import type { Reader } from '../../platform/db/database.ts';
import { badData, type Violation } from '../../platform/errors.ts';
import {
  constraintViolations,
  type LegalValues,
  normaliseConstraint,
  refuseTooMany,
  violationsOfOne,
} from './check.ts';
import { validPatterns } from './patterns.ts';
import type { Constraint } from './schema.ts';
import { listNamedFields, type NamedField } from './store.ts';

/** The constraints as they are stored, and what is wrong with them; `project` is where they are used. */
export async function examineConstraints(
  db: Reader,
  constraints: readonly Constraint[],
  path: string,
  project: string | null,
): Promise<{ constraints: Constraint[]; violations: Violation[] }> {
  refuseTooMany(constraints);
  const names = constraints.map(constraint => constraint.contextName);
  const fields = names.length === 0 ? [] : await listNamedFields(db, names, project);
  const patterns = await validPatterns(constraints);
  return {
    constraints: constraints.map(normaliseConstraint),
    violations: [
      ...constraintViolations(constraints, path, { legalValues: legalValuesOf(fields), patterns }),
      ...violationsOfPlace(constraints, path, namesElsewhere(fields)),
    ],
  };
}

/** What is wrong with each of many lists of constraints of one project, in one query for all. */
export async function examineConstraintLists(
  db: Reader,
  lists: readonly (readonly Constraint[])[],
  project: string,
): Promise<Violation[][]> {
  const all = lists.flat();
  const names = [...new Set(all.map(constraint => constraint.contextName))];
  const fields = names.length === 0 ? [] : await listNamedFields(db, names, project);
  const rules = { legalValues: legalValuesOf(fields), patterns: await validPatterns(all) };
  const elsewhere = namesElsewhere(fields);
  return lists.map(list => [
    ...constraintViolations(list, '', rules),
    ...violationsOfPlace(list, '', elsewhere),
  ]);
}

/** A field of a project counts in that project only. */
const legalValuesOf = (fields: NamedField[]): LegalValues =>
  new Map(fields.filter(field => !field.elsewhere).map(field => [field.name, new Set(field.legalValues)]));

const namesElsewhere = (fields: NamedField[]): ReadonlySet<string> =>
  new Set(fields.filter(field => field.elsewhere).map(({ name }) => name));

function violationsOfPlace(
  constraints: readonly Constraint[],
  path: string,
  elsewhere: ReadonlySet<string>,
): Violation[] {
  return constraints.flatMap(({ contextName }, index) =>
    elsewhere.has(contextName)
      ? [
          {
            message: `${contextName} is a context field of another project`,
            path: `${path}/${index}/contextName`,
          },
        ]
      : [],
  );
}

/** The constraints as they are stored, or a refusal with all that is wrong. */
export async function acceptConstraints(
  db: Reader,
  input: readonly Constraint[],
  path: string,
  project: string | null,
): Promise<Constraint[]> {
  const { constraints, violations } = await examineConstraints(db, input, path, project);
  if (violations.length > 0) throw badData(violations);
  return constraints;
}

/** Refuses a constraint that is the whole body and would be accepted nowhere. */
export async function checkConstraint(db: Reader, constraint: Constraint): Promise<void> {
  refuseTooMany([constraint]);
  const fields = await listNamedFields(db, [constraint.contextName], null);
  const patterns = await validPatterns([constraint]);
  const details = violationsOfOne(constraint, '/body', { legalValues: legalValuesOf(fields), patterns });
  if (details.length > 0) throw badData(details);
}
