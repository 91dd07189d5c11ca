import { type OperationModule, query } from '../../record/operations/definition.ts';
import { Constraint, ConstraintInput } from './schema.ts';
import { checkConstraint } from './validate.ts';

export const CONSTRAINTS: OperationModule = {
  tag: 'Constraints',
  schemas: [Constraint],
  operations: [
    query({
      id: 'validateConstraint',
      route: 'POST /api/admin/constraints/validate',
      summary: 'Validate a constraint',
      description:
        'Checks whether a segment or a strategy would accept the constraint. Legal values of context fields that belong to a project are not checked. Every authenticated caller may call it. It changes nothing.',
      permission: 'NONE',
      body: ConstraintInput,
      status: 204,
      read: ({ db }, { body }) => checkConstraint(db, body),
    }),
  ],
};
