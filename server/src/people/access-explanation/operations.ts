import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { explainAccess } from './explain.ts';
import { AccessChange, AccessExplanation, AccessPath, AccessQuestion, OtherRole } from './schema.ts';

export const ACCESS_EXPLANATION: OperationModule = {
  tag: 'Access',
  schemas: [AccessPath, OtherRole, AccessChange, AccessExplanation],
  operations: [
    query({
      id: 'explainAccess',
      route: 'GET /api/admin/access/explain',
      summary: 'Explain access',
      description:
        'Explains whether a user or service account may do something: the decision, and the roles that allow it, with the groups they come from, who granted them and when. If it is not allowed, the response lists what would allow it, with the side effects, and who can grant it. Everyone can ask about themselves. Asking about others requires ADMIN. A project that the caller cannot read returns the same 404 as a missing one.',
      permission: 'NONE',
      query: AccessQuestion,
      output: jsonResponse('The explanation', AccessExplanation),
      rejects: [400, 403, 404],
      read: ({ db, actor }, { query: accessQuery }) => explainAccess(db, actor, accessQuery),
    }),
  ],
};
