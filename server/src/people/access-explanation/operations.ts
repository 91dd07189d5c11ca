import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { explainAccess } from './explain.ts';
import { AccessChange, AccessExplanation, AccessPath, ExplainAccessQuery, OtherRole } from './schema.ts';

export const ACCESS_EXPLANATION: OperationModule = {
  tag: 'Access',
  schemas: [AccessPath, OtherRole, AccessChange, AccessExplanation],
  operations: [
    query({
      id: 'explainAccess',
      route: 'GET /api/admin/access/explain',
      summary: 'Explain access',
      description:
        'Explains whether a user or service account has access, and which roles allow it, with the groups they come from, who granted them and when. If access is denied, the response lists the changes that would allow it, with their side effects, and who can make them. Everyone can ask about themselves. Asking about others requires ADMIN. For a project that the caller cannot read, the operation returns the same 404 as for a missing project.',
      permission: 'NONE',
      query: ExplainAccessQuery,
      output: jsonResponse('The explanation', AccessExplanation),
      rejects: [400, 403, 404],
      read: ({ db, actor }, { query: accessQuery }) => explainAccess(db, actor, accessQuery),
    }),
  ],
};
