import { jsonResponse } from '@halyard/plane/platform/http/schema.ts';
import { listReadableTypes } from '../../people/api-tokens/permission.ts';
import { type OperationModule, query } from '../../record/operations/definition.ts';
import { Edge, EdgeList } from './schema.ts';
import { listEdges } from './store.ts';

export const EDGES: OperationModule = {
  tag: 'Edge',
  schemas: [Edge, EdgeList],
  operations: [
    query({
      id: 'getEdges',
      route: 'GET /api/admin/edges',
      summary: 'List edges',
      description:
        'Returns the edges that reported in the last day, with the revision that they serve and its age. To remove an edge, revoke its token.',
      permission: ['READ_CLIENT_API_TOKEN'],
      output: jsonResponse('The edges', EdgeList),
      read: async ({ db, actor }) => ({ edges: await listEdges(db, actor, listReadableTypes(actor)) }),
    }),
  ],
};
