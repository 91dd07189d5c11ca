import { ApiError } from '../../platform/errors.ts';
import type { RequestContext } from '../evaluation/context.ts';
import { buildRequestContext, isObject, rejectTooManyFields } from '../frontend-api/request-context.ts';

/** An OpenFeature context: the targeting key is the user id, unless the context has one. */
export function readContext(body: unknown): RequestContext {
  const { context = {} } = isObject(body) ? body : { context: undefined };
  if (!isObject(body) || !isObject(context)) {
    throw new ApiError('BadDataError', 'The body must be an object with the object context.', {
      details: [{ message: 'context must be an object', path: '/body/context' }],
    });
  }
  rejectTooManyFields(context, context.properties);
  const { targetingKey, properties, ...fields } = context;
  const userId = fields.userId ?? targetingKey;
  return buildRequestContext(
    Object.entries({ ...fields, ...(userId === undefined ? {} : { userId }) }),
    isObject(properties) ? Object.entries(properties) : [],
    '/body/context',
  );
}
