import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listIntegrationsOf } from '../integrations/store.ts';
import { viewFor } from '../integrations/visibility.ts';
import { type EventDelivery, MAX_OF_EVENT } from './schema.ts';
import { listDeliveriesOf } from './store.ts';

/** The deliveries of an event to the integrations that the actor can see. They include neither the request nor the response. */
export async function listVisibleDeliveries(
  db: Reader,
  actor: Actor,
  event: number,
): Promise<EventDelivery[]> {
  const deliveries = await listDeliveriesOf(db, event, MAX_OF_EVENT);
  const integrations = await listIntegrationsOf(db, [...new Set(deliveries.map(one => one.integrationId))]);
  const view = await viewFor(db, actor, integrations);
  const visible = new Map(integrations.flatMap(one => (view(one) ? [[one.id, one]] : [])));
  return deliveries.flatMap(delivery => {
    const integration = visible.get(delivery.integrationId);
    return integration
      ? [{ ...delivery, provider: integration.provider, description: integration.description }]
      : [];
  });
}
