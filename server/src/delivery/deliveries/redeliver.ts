import { ApiError, notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { identityOf, lockVisibleIntegration } from '../integrations/lock.ts';
import type { Queued } from './schema.ts';
import { findRecord, reopenDeliveries } from './store.ts';

const MAX_DELIVERIES = 10_000;

/** Redelivers one record from the start of the schedule, with the same webhook-id. */
export async function redeliver(current: Change, integration: number, id: number): Promise<Queued> {
  const { tx, record } = current;
  const locked = await lockVisibleIntegration(current, integration);
  const deliveries = await reopenDeliveries(tx, integration, { id });
  if (deliveries === 0) {
    const found = await findRecord(tx, integration, id);
    if (!found) throw notFound(`Record ${id} of integration ${integration}`);
    throw new ApiError(
      'ConflictError',
      `Record ${id} is ${found.state}. Only an ended delivery can be redelivered.`,
    );
  }
  record({
    type: 'integration-redelivered',
    data: { ...identityOf(locked), enabled: locked.enabled, deliveries, record: String(id) },
  });
  return { deliveries, complete: true };
}

/** Redelivers every delivery that failed since a time. A second call finds nothing left to reopen. */
export async function redeliverFailed(current: Change, integration: number, since: string): Promise<Queued> {
  const locked = await lockVisibleIntegration(current, integration);
  const deliveries = await reopenDeliveries(current.tx, integration, {
    failedSince: since,
    limit: MAX_DELIVERIES,
  });
  if (deliveries > 0) {
    current.record({
      type: 'integration-redelivered',
      data: { ...identityOf(locked), enabled: locked.enabled, deliveries, since },
    });
  }
  return { deliveries, complete: deliveries < MAX_DELIVERIES };
}
