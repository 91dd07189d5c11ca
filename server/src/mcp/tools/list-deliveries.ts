import { Type } from 'typebox';
import { type EventDelivery, type IntegrationEvent, STATES } from '../../delivery/deliveries/schema.ts';
import { Arguments, Cursor, DEFAULT_LIMIT, Limit } from '../inputs.ts';
import { fitting } from '../shown.ts';
import { tool } from '../tool.ts';

const Id = (description: string) =>
  Type.Optional(Type.Integer({ minimum: -4_294_967_296, maximum: Number.MAX_SAFE_INTEGER, description }));

type Records = { integrationEvents: IntegrationEvent[]; next?: number };

export const listDeliveries = tool({
  name: 'list_deliveries',
  title: 'List deliveries',
  description:
    'Lists deliveries of events to integrations such as webhooks, newest first. Without an event, only admins may call it.',
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
      const chosen = deliveries.filter(
        one =>
          (integration === undefined || one.integrationId === integration) &&
          (state === undefined || one.state === state),
      );
      return {
        deliveries: fitting(
          chosen.slice(0, limit).map(({ id, integrationId, state, attempts, lastStatus }) => ({
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
        ? await call.read<Records>('getDeliveries', { query })
        : await call.read<Records>('getIntegrationEvents', { params: { id: String(integration) }, query });
    const all = integrationEvents.map(one => ({
      id: one.id,
      integration: one.integrationId,
      event: one.event.id,
      state: one.state,
      attempts: one.attempts,
      lastStatus: one.lastStatus,
      details: one.stateDetails,
    }));
    const deliveries = fitting(all);
    const following = deliveries.length < all.length ? Number(deliveries.at(-1)?.id) : next;
    return { deliveries, ...(following !== undefined && { next: following }) };
  },
  text: ({ deliveries, ...page }) => [
    `${deliveries.length} deliveries${'next' in page && page.next !== undefined ? `, next page: cursor ${page.next}` : ''}`,
    ...deliveries.map(one => {
      const details = 'details' in one ? ` ${one.details}` : '';
      return `${one.id} event ${one.event} to integration ${one.integration}: ${one.state}, attempts ${one.attempts}${one.lastStatus === undefined ? '' : `, status ${one.lastStatus}`}${details}`;
    }),
  ],
});
