import type { schemas } from '../../api/api.gen.ts';
import type { Options } from '../../command.ts';
import type { Context } from '../../context.ts';
import { dim, sanitize } from '../../output.ts';

export type Delivery = schemas['IntegrationEvent'];

export const FILTERS = {
  state: {
    type: 'choice',
    choices: ['pending', 'retrying', 'success', 'successWithErrors', 'failed'],
    brief: 'Only deliveries in this state',
  },
  status: {
    type: 'string',
    value: 'status',
    brief: 'Only deliveries with this response: a status, a class such as 5xx, or none',
  },
  type: { type: 'string', value: 'type', short: 't', brief: 'Only deliveries of events of this type' },
} as const satisfies Options;

type FilterOptions = { state?: string | undefined; status?: string | undefined; type?: string | undefined };

export const buildFilters = (search: string | undefined, { state, status, type }: FilterOptions) => ({
  ...(search && { query: search }),
  ...(state && { state: `IS:${state}` }),
  ...(status && { status: `IS:${status}` }),
  ...(type && { type: `IS:${type}` }),
});

export const describeOutcome = ({ state, attempts, lastStatus, lastOutcome }: Delivery): string =>
  `${state}${attempts > 0 ? `, ${lastStatus ?? lastOutcome ?? 'no response'}` : ''}${attempts > 1 ? ` after ${attempts} attempts` : ''}`;

export const formatDelivery = (delivery: Delivery, context: Context): string =>
  `${dim(context, `${delivery.createdAt.slice(0, 19).replace('T', ' ')}  ${delivery.integrationId}/${delivery.id}`)}  ${sanitize(delivery.event.type)} ${delivery.event.id} → ${sanitize(describeOutcome(delivery))}`;
