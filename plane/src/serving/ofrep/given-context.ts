import { ApiError } from '../../platform/errors.ts';
import type { GivenContext } from '../evaluation/context.ts';
import { givenContext, isObject, rejectManyFields } from '../frontend-api/given-context.ts';

/** The context of OpenFeature: the targeting key is the user id, unless there is one. */
export function contextOf(body: unknown): GivenContext {
  const { context = {} } = isObject(body) ? body : { context: undefined };
  if (!isObject(body) || !isObject(context)) {
    throw new ApiError('BadDataError', 'The body must be an object with the object context.', {
      details: [{ message: 'context must be an object', path: '/body/context' }],
    });
  }
  rejectManyFields(context, context.properties);
  const { targetingKey, properties, ...fields } = context;
  const userId = fields.userId ?? targetingKey;
  return givenContext(
    Object.entries({ ...fields, ...(userId === undefined ? {} : { userId }) }),
    isObject(properties) ? Object.entries(properties) : [],
    '/body/context',
  );
}
