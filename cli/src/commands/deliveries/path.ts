import { wrongUse } from '../../errors.ts';

export const DELIVERY = {
  integration: { brief: 'Id of the integration, as in halyard deliveries list' },
  delivery: { brief: 'Id of the delivery' },
} as const;

export function pathTo({ integration, delivery }: { integration: string; delivery: string }) {
  for (const id of [integration, delivery])
    if (!/^\d+$/.test(id))
      throw wrongUse(`${JSON.stringify(id)} is not an id. Ids are numbers, as in halyard deliveries list.`);
  // The API document says which of them is a number.
  return { id: Number(integration), eventId: delivery } as never;
}
