import { setTimeout as sleep } from 'node:timers/promises';
import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { interruption } from '../../errors.ts';
import { getData } from '../../requests.ts';
import { buildFilters, type Delivery, FILTERS, formatDelivery } from './filters.ts';

const POLL_INTERVAL_MS = 2000;
const PAGE_SIZE = 200;
/** The number of deliveries that the command remembers. A change to an older delivery is not printed. */
const MAX_REMEMBERED = 2000;
const MAX_PAGES = MAX_REMEMBERED / PAGE_SIZE;

export const deliveriesTail = command({
  name: 'deliveries tail',
  brief: 'Print deliveries as they begin, fail and succeed',
  description:
    'It runs until you press Ctrl+C and polls the server every 2 seconds. A delivery is printed again when its state or its number of attempts changes.',
  args: { search: { brief: 'Part of a flag name, project, creator or error', optional: true } },
  options: {
    ...FILTERS,
    count: {
      type: 'integer',
      value: 'number',
      min: 1,
      max: 1_000_000_000,
      brief: 'Stop after this many lines',
    },
  },
  streams: true,
  calls: ['getDeliveries'],
  output: 'IntegrationEvent',
  examples: [{ does: 'Watch what fails', run: 'deliveries tail --state failed' }],
  run: async function* (context, { search }, { count, ...filters }) {
    const query = buildFilters(search, filters);
    const printedStates = new Map<string, string>();
    for (const delivery of await readNewest(context, query, printedStates, 1))
      remember(printedStates, delivery);
    let remaining = count ?? Number.POSITIVE_INFINITY;
    for (;;) {
      await sleep(POLL_INTERVAL_MS, undefined, { signal: context.signal }).catch(() => {
        throw interruption();
      });
      for (const delivery of await readNewest(context, query, printedStates, MAX_PAGES)) {
        if (!remember(printedStates, delivery)) continue;
        yield delivery;
        if (--remaining <= 0) return;
      }
    }
  },
  text: formatDelivery,
});

/** Reads the newest deliveries, back to the first one that is already known, and returns them oldest first. */
async function readNewest(
  context: Context,
  filters: object,
  printedStates: Map<string, string>,
  maxPages: number,
): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (let page = 0; page < maxPages; page++) {
    const oldest = deliveries.at(-1);
    const query = { ...filters, limit: PAGE_SIZE, ...(oldest && { before: oldest.id }) };
    const { integrationEvents } = await getData(
      context.read.GET('/api/admin/deliveries', { params: { query } }),
    );
    deliveries.push(...integrationEvents);
    if (
      integrationEvents.length < PAGE_SIZE ||
      integrationEvents.some(integrationEvent => printedStates.has(integrationEvent.id))
    )
      break;
  }
  return deliveries.toReversed();
}

/** Remembers the state of a delivery. Returns whether the delivery is new or has changed. */
function remember(printedStates: Map<string, string>, { id, state, attempts }: Delivery): boolean {
  const currentState = `${state} ${attempts}`;
  if (printedStates.get(id) === currentState) return false;
  printedStates.delete(id);
  printedStates.set(id, currentState);
  const [oldest] = printedStates.keys();
  if (printedStates.size > MAX_REMEMBERED && oldest !== undefined) printedStates.delete(oldest);
  return true;
}
