import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { App } from '../../../../plane/src/platform/http/app.ts';
import { authorize } from '../../access/guard.ts';
import { requireRouteInScope } from '../../access/scope.ts';
import type { Reading } from './definition.ts';
import { type StoredOperation, validateInput } from './stored.ts';

/**
 * Runs a query without an HTTP request to its route, for example for an MCP tool. It validates the input and authorizes the
 * caller exactly as the route does.
 */
export async function runQuery(
  app: App,
  reading: Omit<Reading, 'projectOfFeature' | 'sessionId'>,
  { operation, input }: StoredOperation,
): Promise<unknown> {
  const query = app.operations.get(operation);
  if (query?.kind !== 'query') throw notFound(`Operation "${operation}"`);
  const whole = { params: {}, query: {}, body: undefined, ...input };
  validateInput(app, query, whole);
  const { actor, db } = reading;
  const [, url = ''] = query.route.split(' ');
  requireRouteInScope(actor, { url, permission: query.permission, onlyReads: true });
  const projectOfFeature = (await authorize(db, actor, query.permission, whole.params)) ?? '';
  const shown = await query.read({ ...reading, projectOfFeature, sessionId: null }, whole);
  return query.present ? query.present(shown) : shown;
}
