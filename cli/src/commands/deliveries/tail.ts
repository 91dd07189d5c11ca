import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { interrupted } from '../../errors.ts';
import { data } from '../../requests.ts';
import { type Delivery, deliveryLine, FILTERS, filtersOf } from './filters.ts';

const EVERY_MS = 2000;
const PAGE = 200;
/** How many deliveries are remembered. If an older one changes, it is not shown again. */
const REMEMBERED = 2000;
const MAX_PAGES = REMEMBERED / PAGE;

export const deliveriesTail = command({
  name: 'deliveries tail',
  brief: 'Print deliveries as they begin, fail and succeed',
  description:
    'It runs until you press Ctrl+C and asks the server every 2 seconds. A delivery is printed again when its state or its number of attempts changes.',
  args: { search: { brief: 'Part of a flag, a project, a creator or an error', optional: true } },
  options: {
    ...FILTERS,
    count: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 1_000_000_000,
      brief: 'End after this number of lines',
    },
  },
  streams: true,
  calls: ['getDeliveries'],
  output: 'IntegrationEvent',
  examples: [{ does: 'Watch what fails', run: 'deliveries tail --state failed' }],
  run: async function* (context, { search }, { count, ...filters }) {
    const query = filtersOf(search, filters);
    const seen = new Map<string, string>();
    for (const one of await newest(context, query, seen, 1)) remember(seen, one);
    let left = count ?? Number.POSITIVE_INFINITY;
    for (;;) {
      await sleep(EVERY_MS, undefined, { signal: context.signal }).catch(() => {
        throw interrupted();
      });
      for (const one of await newest(context, query, seen, MAX_PAGES)) {
        if (!remember(seen, one)) continue;
        yield one;
        if (--left <= 0) return;
      }
    }
  },
  text: deliveryLine,
});

/** Oldest first, going back at least to a delivery that is already known. */
async function newest(
  context: Context,
  filters: object,
  seen: Map<string, string>,
  most: number,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for (let page = 0; page < most; page++) {
    const last = found.at(-1);
    const query = { ...filters, limit: PAGE, ...(last && { before: last.id }) };
    const { integrationEvents } = await data(
      context.read.GET('/api/admin/deliveries', { params: { query } }),
    );
    found.push(...integrationEvents);
    if (integrationEvents.length < PAGE || integrationEvents.some(one => seen.has(one.id))) break;
  }
  return found.toReversed();
}

/** Whether it is new, or changed since it was seen. */
function remember(seen: Map<string, string>, { id, state, attempts }: Delivery): boolean {
  const now = `${state} ${attempts}`;
  if (seen.get(id) === now) return false;
  seen.delete(id);
  seen.set(id, now);
  const [oldest] = seen.keys();
  if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
  return true;
}
