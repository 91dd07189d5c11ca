import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../../server/src/test/receiver.ts';
import { withClient } from '../database.ts';
import { type ReceiverName, SUBSCRIPTIONS } from './data.ts';

export type Receivers = {
  urls: Record<ReceiverName, string>;
  /** How many times each receiver accepted each delivery, by delivery id. */
  acceptedCounts: Record<ReceiverName, Map<string, number>>;
  /** The ids of the deliveries that reached each receiver at least once. */
  arrivedIds: Record<ReceiverName, Set<string>>;
  close: () => Promise<void>;
};

const NAMES = Object.keys(SUBSCRIPTIONS) as ReceiverName[];

/** Starts three receivers: one accepts every request, one fails every other request, and one never responds. */
export async function startReceivers(): Promise<Receivers> {
  const acceptedCounts = { healthy: new Map(), failing: new Map(), hanging: new Map() };
  const arrivedIds = { healthy: new Set<string>(), failing: new Set<string>(), hanging: new Set<string>() };
  const startedReceivers: Receiver[] = [];
  const urls = {} as Record<ReceiverName, string>;
  let requestCount = 0;
  for (const name of NAMES) {
    const receiver = await startReceiver();
    startedReceivers.push(receiver);
    urls[name] = `${receiver.url}/${name}`;
    receiver.respondWith(({ headers }, response) => {
      // Otherwise a long run would keep every body in memory.
      receiver.received.length = 0;
      const id = String(headers['webhook-id']);
      arrivedIds[name].add(id);
      if (name === 'hanging') return;
      const accepts = name === 'healthy' || ++requestCount % 2 === 0;
      if (accepts && !response.destroyed)
        acceptedCounts[name].set(id, (acceptedCounts[name].get(id) ?? 0) + 1);
      response.writeHead(accepts ? 200 : 500).end();
    });
  }
  return {
    urls,
    acceptedCounts,
    arrivedIds,
    close: async () => {
      for (const receiver of startedReceivers) await receiver.close();
    },
  };
}

type Counts = Record<ReceiverName, { events: number; duplicates: number } & Record<string, number>>;

/**
 * Waits until deliveries are finished. Checks that every event has a delivery, that the receiver accepted every delivery recorded
 * as successful, and that every request belongs to a delivery. Deliveries to the hanging receiver may still be open.
 */
export async function checkDeliveries(
  databaseUrl: string,
  receivers: Receivers,
  timeoutMs: number,
  log: (text: string) => void,
  fail: (problem: string) => void,
): Promise<Counts> {
  return await withClient(new URL(databaseUrl), async client => {
    const countOpen = async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from integration_deliveries d join integrations i on i.id = d.integration_id
         where d.state in ('pending', 'retrying') and i.description <> 'hanging'`,
      );
      return rows[0]?.count ?? 0;
    };
    const deadline = Date.now() + timeoutMs;
    for (
      let openDeliveries = await countOpen();
      openDeliveries > 0 && Date.now() < deadline;
      openDeliveries = await countOpen()
    ) {
      log(`${openDeliveries} deliveries are open`);
      await sleep(5_000);
    }

    const counts = {} as Counts;
    for (const name of NAMES) {
      const { rows: events } = await client.query<{ count: number }>(
        `select count(*)::int as count from events e join integrations i on i.description = $1
         where e.type = any($2) and e.created_at > i.created_at`,
        [name, SUBSCRIPTIONS[name]],
      );
      const { rows: deliveries } = await client.query<{ state: string; id: string }>(
        `select d.state, d.webhook_id as id from integration_deliveries d
         join integrations i on i.id = d.integration_id where i.description = $1`,
        [name],
      );
      const states: Record<string, number> = {};
      for (const { state } of deliveries) states[state] = (states[state] ?? 0) + 1;
      const eventCount = events[0]?.count ?? 0;
      const knownIds = new Set(deliveries.map(({ id }) => id));
      const phantomDeliveries = deliveries.filter(
        delivery => delivery.state === 'success' && !receivers.acceptedCounts[name].has(delivery.id),
      );
      const unknownIds = [...receivers.arrivedIds[name]].filter(id => !knownIds.has(id));
      const acceptances = [...receivers.acceptedCounts[name].values()];
      const duplicates = acceptances.reduce((sum, times) => sum + times - 1, 0);
      counts[name] = { events: eventCount, duplicates, ...states };
      if (eventCount !== deliveries.length)
        fail(`${name}: ${eventCount} events, ${deliveries.length} deliveries`);
      if (phantomDeliveries.length > 0)
        fail(`${name}: ${phantomDeliveries.length} recorded as delivered, never accepted`);
      if (unknownIds.length > 0) fail(`${name}: ${unknownIds.length} arrived without a record`);
      const openCount = (states.pending ?? 0) + (states.retrying ?? 0);
      if (name !== 'hanging' && openCount > 0) fail(`${name}: ${openCount} deliveries still open`);
      if (name === 'healthy' && (states.failed ?? 0) > 0) fail(`${name}: ${states.failed} failed`);
    }
    return counts;
  });
}

export async function countDeadlocks(databaseUrl: string): Promise<number> {
  return await withClient(new URL(databaseUrl), async client => {
    const { rows } = await client.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.deadlocks ?? 0;
  });
}
