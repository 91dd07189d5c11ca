import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { getIntegrationIdentity, lockVisibleIntegration } from '../integrations/lock.ts';
import { unblock } from '../order.ts';
import { findRecord } from './store.ts';

/** Skips an exhausted delivery that blocks later deliveries of an ordered integration. Its record stays failed. */
export async function skipBlocking(current: Change, integration: number, id: number): Promise<void> {
  const { tx, record } = current;
  const lockedIntegration = await lockVisibleIntegration(current, integration);
  if (!(await unblock(current, integration, id))) {
    if (!(await findRecord(tx, integration, id)))
      throw notFound(`Record ${id} of integration ${integration}`);
    throw new ApiError(
      'ConflictError',
      `Record ${id} blocks no other delivery, so there is nothing to skip.`,
    );
  }
  record({
    type: 'integration-delivery-skipped',
    data: {
      ...getIntegrationIdentity(lockedIntegration),
      enabled: lockedIntegration.enabled,
      record: String(id),
    },
  });
}
