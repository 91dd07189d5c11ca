import type { Db } from '../../platform/db/database.ts';
import type { App } from '../../platform/http/app.ts';
import { errorResponses, Nothing } from '../../platform/http/schema.ts';
import { Constraint, ConstraintInput } from './schema.ts';
import { checkConstraint } from './validate.ts';

export function constraintRoutes(app: App, db: Db): void {
  app.addSchema(Constraint);

  app.post(
    '/api/admin/constraints/validate',
    {
      config: { permission: 'NONE' },
      schema: {
        operationId: 'validateConstraint',
        tags: ['Constraints'],
        summary: 'Validate a constraint',
        description:
          'Checks whether a segment or a strategy would accept the constraint. Legal values of context fields that belong to a project are not checked. Every authenticated caller may call it. It changes nothing.',
        body: ConstraintInput,
        response: { 204: Nothing, ...errorResponses(400, 401, 403, 413, 415) },
      },
    },
    async (request, reply) => {
      await checkConstraint(db, request.body);
      return reply.code(204).send();
    },
  );
}
