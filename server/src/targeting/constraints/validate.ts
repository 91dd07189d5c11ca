import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listValidPatterns } from './patterns.ts';
import {
  findConstraintListViolations,
  findConstraintViolations,
  type LegalValues,
  listLegalForms,
  normalizeConstraint,
  rejectTooManyConstraints,
} from './rules.ts';
import type { Constraint } from './schema.ts';
import { listRestrictedFields, type RestrictedField } from './store.ts';

/** Returns the constraints in their stored form, and their violations. `project` is where the constraints are used. */
export async function validateConstraints(
  db: Reader,
  constraints: readonly Constraint[],
  path: string,
  project: string | null,
): Promise<{ constraints: Constraint[]; violations: Violation[] }> {
  rejectTooManyConstraints(constraints);
  const names = constraints.map(constraint => constraint.contextName);
  const fields = names.length === 0 ? [] : await listRestrictedFields(db, names, project);
  const patterns = await listValidPatterns(constraints);
  return {
    constraints: constraints.map(normalizeConstraint),
    violations: [
      ...findConstraintListViolations(constraints, path, { legalValues: toLegalValues(fields), patterns }),
      ...findOtherProjectViolations(constraints, path, listNamesInOtherProjects(fields)),
    ],
  };
}

/** Returns the violations of each list of constraints. All lists belong to one project, so they need only one query. */
export async function validateConstraintLists(
  db: Reader,
  lists: readonly (readonly Constraint[])[],
  project: string,
): Promise<Violation[][]> {
  const allConstraints = lists.flat();
  const names = [...new Set(allConstraints.map(constraint => constraint.contextName))];
  const fields = names.length === 0 ? [] : await listRestrictedFields(db, names, project);
  const acceptedValues = {
    legalValues: toLegalValues(fields),
    patterns: await listValidPatterns(allConstraints),
  };
  const namesElsewhere = listNamesInOtherProjects(fields);
  return lists.map(list => [
    ...findConstraintListViolations(list, '', acceptedValues),
    ...findOtherProjectViolations(list, '', namesElsewhere),
  ]);
}

/** Returns the legal values that apply in the project. Those of a project's field apply only in that project. */
const toLegalValues = (fields: RestrictedField[]): LegalValues =>
  new Map(
    fields
      .filter(field => !field.inOtherProject)
      .map(field => [field.name, new Set(field.legalValues.flatMap(listLegalForms))]),
  );

const listNamesInOtherProjects = (fields: RestrictedField[]): ReadonlySet<string> =>
  new Set(fields.filter(field => field.inOtherProject).map(({ name }) => name));

function findOtherProjectViolations(
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

/** Returns the constraints in their stored form, or rejects them with every violation. */
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

/** Rejects an invalid constraint that is the entire request body. */
export async function checkConstraint(db: Reader, constraint: Constraint): Promise<void> {
  rejectTooManyConstraints([constraint]);
  const fields = await listRestrictedFields(db, [constraint.contextName], null);
  const patterns = await listValidPatterns([constraint]);
  const details = findConstraintViolations(constraint, '/body', {
    legalValues: toLegalValues(fields),
    patterns,
  });
  if (details.length > 0) throw badData(details);
}
