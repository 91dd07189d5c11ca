import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { validPatterns } from './patterns.ts';
import {
  constraintListViolations,
  constraintViolations,
  type LegalValues,
  legalForms,
  normaliseConstraint,
  rejectTooMany,
} from './rules.ts';
import type { Constraint } from './schema.ts';
import { listRestrictedFields, type RestrictedField } from './store.ts';

/** Returns the constraints as they are stored, and their violations. `project` is where the constraints are used. */
export async function validateConstraints(
  db: Reader,
  constraints: readonly Constraint[],
  path: string,
  project: string | null,
): Promise<{ constraints: Constraint[]; violations: Violation[] }> {
  rejectTooMany(constraints);
  const names = constraints.map(constraint => constraint.contextName);
  const fields = names.length === 0 ? [] : await listRestrictedFields(db, names, project);
  const patterns = await validPatterns(constraints);
  return {
    constraints: constraints.map(normaliseConstraint),
    violations: [
      ...constraintListViolations(constraints, path, { legalValues: legalValuesOf(fields), patterns }),
      ...otherProjectViolations(constraints, path, namesInOtherProjects(fields)),
    ],
  };
}

/** Returns the violations of each list of constraints. All lists belong to one project and cost one query. */
export async function validateConstraintLists(
  db: Reader,
  lists: readonly (readonly Constraint[])[],
  project: string,
): Promise<Violation[][]> {
  const all = lists.flat();
  const names = [...new Set(all.map(constraint => constraint.contextName))];
  const fields = names.length === 0 ? [] : await listRestrictedFields(db, names, project);
  const rules = { legalValues: legalValuesOf(fields), patterns: await validPatterns(all) };
  const namesElsewhere = namesInOtherProjects(fields);
  return lists.map(list => [
    ...constraintListViolations(list, '', rules),
    ...otherProjectViolations(list, '', namesElsewhere),
  ]);
}

/** The legal values of a project's field apply in that project only. */
const legalValuesOf = (fields: RestrictedField[]): LegalValues =>
  new Map(
    fields
      .filter(field => !field.inOtherProject)
      .map(field => [field.name, new Set(field.legalValues.flatMap(legalForms))]),
  );

const namesInOtherProjects = (fields: RestrictedField[]): ReadonlySet<string> =>
  new Set(fields.filter(field => field.inOtherProject).map(({ name }) => name));

function otherProjectViolations(
  constraints: readonly Constraint[],
  path: string,
  namesElsewhere: ReadonlySet<string>,
): Violation[] {
  return constraints.flatMap(({ contextName }, index) =>
    namesElsewhere.has(contextName)
      ? [
          {
            message: `context field "${contextName}" belongs to a different project`,
            path: `${path}/${index}/contextName`,
          },
        ]
      : [],
  );
}

/** Returns the constraints as they are stored, or rejects them with every violation. */
export async function checkConstraints(
  db: Reader,
  input: readonly Constraint[],
  path: string,
  project: string | null,
): Promise<Constraint[]> {
  const { constraints, violations } = await validateConstraints(db, input, path, project);
  if (violations.length > 0) throw badData(violations);
  return constraints;
}

/** Rejects an invalid constraint that is the whole body of a request. */
export async function checkConstraint(db: Reader, constraint: Constraint): Promise<void> {
  rejectTooMany([constraint]);
  const fields = await listRestrictedFields(db, [constraint.contextName], null);
  const patterns = await validPatterns([constraint]);
  const details = constraintViolations(constraint, '/body', { legalValues: legalValuesOf(fields), patterns });
  if (details.length > 0) throw badData(details);
}
