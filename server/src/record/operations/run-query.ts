import { notFound } from '@halyard/plane/platform/errors.ts';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { authorize } from '../../access/guard.ts';
import { requireRouteInScope } from '../../access/scope.ts';
import type { ReadContext } from './definition.ts';
import { type StoredOperation, validateInput } from './stored.ts';

/**
 * Runs a query without an HTTP request to its route, for example for an MCP tool. It validates the input and authorizes the
 * caller exactly as the route does.
 */
export async function runQuery(
  app: App,
  context: Omit<ReadContext, 'projectOfFeature' | 'sessionId'>,
  { operation, input }: StoredOperation,
): Promise<unknown> {
  const query = app.operations.get(operation);
  if (query?.kind !== 'query') throw notFound(`Operation "${operation}"`);
  const fullInput = { params: {}, query: {}, body: undefined, ...input };
  validateInput(app, query, fullInput);
  const { actor, db } = context;
  const [, url = ''] = query.route.split(' ');
  requireRouteInScope(actor, { url, permission: query.permission, onlyReads: true });
  const projectOfFeature = (await authorize(db, actor, query.permission, fullInput.params)) ?? '';
  const result = await query.read({ ...context, projectOfFeature, sessionId: null }, fullInput);
  return query.present ? query.present(result) : result;
}
