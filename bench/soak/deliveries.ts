import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../../server/src/test/receiver.ts';
import { withClient } from '../database.ts';
import { type ReceiverName, SUBSCRIPTIONS } from './data.ts';

export type Receivers = {
  urls: Record<ReceiverName, string>;
  /** Ids of deliveries that the receiver accepted, by receiver. */
  accepted: Record<ReceiverName, Map<string, number>>;
  /** Ids of deliveries for which at least one request arrived. */
  arrived: Record<ReceiverName, Set<string>>;
  close: () => Promise<void>;
};

const NAMES = Object.keys(SUBSCRIPTIONS) as ReceiverName[];

/** One that accepts, one that fails every other request, one that never responds. */
export async function startReceivers(): Promise<Receivers> {
  const accepted = { sound: new Map(), failing: new Map(), hanging: new Map() };
  const arrived = { sound: new Set<string>(), failing: new Set<string>(), hanging: new Set<string>() };
  const all: Receiver[] = [];
  const urls = {} as Record<ReceiverName, string>;
  let requests = 0;
  for (const name of NAMES) {
    const receiver = await startReceiver();
    all.push(receiver);
    urls[name] = `${receiver.url}/${name}`;
    receiver.respondWith(({ headers }, response) => {
      // A long run would otherwise keep every body.
      receiver.received.length = 0;
      const id = String(headers['webhook-id']);
      arrived[name].add(id);
      if (name === 'hanging') return;
      const accepts = name === 'sound' || ++requests % 2 === 0;
      if (accepts && !response.destroyed) accepted[name].set(id, (accepted[name].get(id) ?? 0) + 1);
      response.writeHead(accepts ? 200 : 500).end();
    });
  }
  return {
    urls,
    accepted,
    arrived,
    close: async () => {
      for (const receiver of all) await receiver.close();
    },
  };
}

type Counts = Record<ReceiverName, { events: number; duplicates: number } & Record<string, number>>;

/**
 * Every event has its delivery, every success was accepted by the receiver, every request that arrived belongs to a
 * delivery. Deliveries to the receiver that hangs may still be open.
 */
export async function accountForDeliveries(
  databaseUrl: string,
  receivers: Receivers,
  withinMs: number,
  say: (text: string) => void,
  fail: (problem: string) => void,
): Promise<Counts> {
  return await withClient(new URL(databaseUrl), async client => {
    const open = async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from integration_deliveries d join integrations i on i.id = d.integration_id
         where d.state in ('pending', 'retrying') and i.description <> 'hanging'`,
      );
      return rows[0]?.count ?? 0;
    };
    const until = Date.now() + withinMs;
    for (let left = await open(); left > 0 && Date.now() < until; left = await open()) {
      say(`${left} deliveries are open`);
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
      const wanted = events[0]?.count ?? 0;
      const known = new Set(deliveries.map(({ id }) => id));
      const phantom = deliveries.filter(
        one => one.state === 'success' && !receivers.accepted[name].has(one.id),
      );
      const unknown = [...receivers.arrived[name]].filter(id => !known.has(id));
      const accepted = [...receivers.accepted[name].values()];
      const duplicates = accepted.reduce((sum, times) => sum + times - 1, 0);
      counts[name] = { events: wanted, duplicates, ...states };
      if (wanted !== deliveries.length) fail(`${name}: ${wanted} events, ${deliveries.length} deliveries`);
      if (phantom.length > 0) fail(`${name}: ${phantom.length} recorded as delivered, never accepted`);
      if (unknown.length > 0) fail(`${name}: ${unknown.length} arrived without a record`);
      const stillOpen = (states.pending ?? 0) + (states.retrying ?? 0);
      if (name !== 'hanging' && stillOpen > 0) fail(`${name}: ${stillOpen} deliveries still open`);
      if (name === 'sound' && (states.failed ?? 0) > 0) fail(`${name}: ${states.failed} failed`);
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
