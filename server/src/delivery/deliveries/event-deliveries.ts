import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { listIntegrationsById } from '../integrations/store.ts';
import { viewFor } from '../integrations/visibility.ts';
import { type EventDelivery, MAX_EVENT_DELIVERIES } from './schema.ts';
import { listEventDeliveries } from './store.ts';

/** Lists an event's deliveries to the integrations that the actor can see, without requests and responses. */
export async function listVisibleDeliveries(
  db: Reader,
  actor: Actor,
  event: number,
): Promise<EventDelivery[]> {
  const deliveries = await listEventDeliveries(db, event, MAX_EVENT_DELIVERIES);
  const integrations = await listIntegrationsById(db, [
    ...new Set(deliveries.map(delivery => delivery.integrationId)),
  ]);
  const view = await viewFor(db, actor, integrations);
  const visibleIntegrations = new Map(
    integrations.flatMap(integration => (view(integration) ? [[integration.id, integration]] : [])),
  );
  return deliveries.flatMap(delivery => {
    const integration = visibleIntegrations.get(delivery.integrationId);
    return integration
      ? [{ ...delivery, provider: integration.provider, description: integration.description }]
      : [];
  });
}
