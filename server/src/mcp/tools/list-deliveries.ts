import { Type } from 'typebox';
import { type EventDelivery, type IntegrationEvent, STATES } from '../../delivery/deliveries/schema.ts';
import { Arguments, Cursor, DEFAULT_LIMIT, Limit } from '../inputs.ts';
import { takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';

const Id = (description: string) =>
  Type.Optional(Type.Integer({ minimum: -4_294_967_296, maximum: Number.MAX_SAFE_INTEGER, description }));

type DeliveryList = { integrationEvents: IntegrationEvent[]; next?: number };

export const listDeliveries = tool({
  name: 'list_deliveries',
  title: 'List deliveries',
  description:
    'Lists deliveries of events to integrations such as webhooks, newest first. Only admins may list deliveries without specifying an event.',
  effect: 'reads',
  input: Arguments({
    event: Id('Event id'),
    integration: Id('Integration id'),
    state: Type.Optional(Type.Enum([...STATES])),
    limit: Limit,
    cursor: Cursor,
  }),
  run: async (call, { event, integration, state, limit = DEFAULT_LIMIT, cursor }) => {
    if (event !== undefined) {
      const { deliveries } = await call.read<{ deliveries: EventDelivery[] }>('getEventDeliveries', {
        params: { id: String(event) },
      });
      const matching = deliveries.filter(
        delivery =>
          (integration === undefined || delivery.integrationId === integration) &&
          (state === undefined || delivery.state === state),
      );
      return {
        deliveries: takeFittingItems(
          matching.slice(0, limit).map(({ id, integrationId, state, attempts, lastStatus }) => ({
            id,
            integration: integrationId,
            event,
            state,
            attempts,
            lastStatus,
          })),
        ),
      };
    }
    const query = {
      ...(state !== undefined && { status: `IS:${state}` }),
      ...(cursor !== undefined && { before: String(cursor) }),
      limit: String(limit),
    };
    const { integrationEvents, next } =
      integration === undefined
        ? await call.read<DeliveryList>('getDeliveries', { query })
        : await call.read<DeliveryList>('getIntegrationEvents', {
            params: { id: String(integration) },
            query,
          });
    const allDeliveries = integrationEvents.map(integrationEvent => ({
      id: integrationEvent.id,
      integration: integrationEvent.integrationId,
      event: integrationEvent.event.id,
      state: integrationEvent.state,
      attempts: integrationEvent.attempts,
      lastStatus: integrationEvent.lastStatus,
      details: integrationEvent.stateDetails,
    }));
    const deliveries = takeFittingItems(allDeliveries);
    const nextCursor = deliveries.length < allDeliveries.length ? Number(deliveries.at(-1)?.id) : next;
    return { deliveries, ...(nextCursor !== undefined && { next: nextCursor }) };
  },
  text: ({ deliveries, ...page }) => [
    `${deliveries.length} ${deliveries.length === 1 ? 'delivery' : 'deliveries'}${'next' in page && page.next !== undefined ? `, next page: cursor ${page.next}` : ''}`,
    ...deliveries.map(delivery => {
      const details = 'details' in delivery ? ` ${delivery.details}` : '';
      return `${delivery.id} event ${delivery.event} to integration ${delivery.integration}: ${delivery.state}, attempts ${delivery.attempts}${delivery.lastStatus === undefined ? '' : `, status ${delivery.lastStatus}`}${details}`;
    }),
  ],
});
