import { usageError } from '../../errors.ts';

export const DELIVERY = {
  integration: { brief: 'Id of the integration, as in halyard deliveries list' },
  delivery: { brief: 'Id of the delivery' },
} as const;

export function toPathParameters({ integration, delivery }: { integration: string; delivery: string }) {
  for (const id of [integration, delivery])
    if (!/^\d+$/.test(id))
      throw usageError(`${JSON.stringify(id)} is not an id. Ids are numbers, as in halyard deliveries list.`);
  // `never`, because the type of each parameter depends on the operation.
  return { id: Number(integration), eventId: delivery } as never;
}
