import { setTimeout as sleep } from 'node:timers/promises';
import { connectStream } from '../../server/src/test/event-stream-client.ts';
import { waitUntilEqual } from '../sdks.ts';
import { conditionOf, pathOf, type Search } from '../search/plain.ts';
import { ADMIN_TOKEN } from '../server.ts';
import type { Era } from './database.ts';

const RECONNECT_MS = 500;

export const SEARCHES: Search[] = [
  {},
  { type: ['feature-strategy-update', 'feature-created'] },
  { query: 'writer-2' },
  { environment: ['production'] },
  { feature: ['writer-1-1', 'writer-1-2', 'writer-1-3'] },
];

export type EventLog = {
  /** What differs from the log of the database, or undefined if nothing does. */
  difference: (era: Era) => Promise<string | undefined>;
  counts: { resets: number; received: number };
  stop: () => Promise<void>;
};

/**
 * Keeps a copy of the log through a stream, as a consumer does: it reconnects after the last id, and drops events after the id
 * with which a stream ended.
 */
export async function followEvents(
  server: string,
  search: Search,
  onUnexplained: (problem: string) => void,
): Promise<EventLog> {
  const path = pathOf(search).replace('/search/events', '/events/stream');
  const log = new Map<number, string>();
  const counts = { resets: 0, received: 0 };
  let isStopped = false;
  let lastEventId: string | undefined;
  let duplicate: number | undefined;
  let close = () => {};

  async function connect(): Promise<void> {
    const stream = await connectStream(`${server}${path}`, ADMIN_TOKEN, {
      lastEventId,
      keep: false,
      onEvent: ({ id, data }) => {
        counts.received++;
        if (log.has(id)) duplicate ??= id;
        log.set(id, (JSON.parse(data) as { groupId: string }).groupId);
      },
    });
    if (stream.status !== 200) {
      stream.close();
      return;
    }
    close = stream.close;
    while (lastEventId === undefined) {
      lastEventId = stream.lastEventId();
      await sleep(10);
    }
    first ??= Number(lastEventId);
    started();
    const isComplete = await stream.closed;
    lastEventId = stream.lastEventId();
    if (isStopped) return;
    const reason = stream.lines.at(-1) ?? '';
    if (!isComplete || !/^: .*Reconnect\.$/.test(reason))
      onUnexplained(`the stream ${path} ended with ${JSON.stringify(reason)}`);
    counts.resets++;
    for (const id of log.keys()) if (id > Number(lastEventId)) log.delete(id);
  }

  let first: number | undefined;
  let started = () => {};
  const ready = new Promise<void>(resolve => {
    started = resolve;
  });
  const running = (async () => {
    while (!isStopped) {
      await connect().catch(() => {});
      await sleep(RECONNECT_MS);
    }
  })();
  await ready;

  return {
    difference: async ({ pool }) => {
      if (duplicate !== undefined) return `got event ${duplicate} twice`;
      const { rows } = await pool.query<{ id: string; group: string }>(
        `select id, group_id as group from events where id > ${first} and ${conditionOf(search, undefined)} order by id`,
      );
      const own = [...log].map(([id, group]) => `${id} ${group}`);
      const stored = rows.map(({ id, group }) => `${id} ${group}`);
      const at = stored.findIndex((event, n) => event !== own[n]);
      if (at < 0 && own.length === stored.length) return undefined;
      const n = at < 0 ? stored.length : at;
      return `event ${own[n] ?? 'missing'} instead of ${stored[n] ?? 'none'}, ${own.length} events instead of ${stored.length}`;
    },
    counts,
    stop: async () => {
      isStopped = true;
      close();
      await running;
    },
  };
}

/** Waits until all copies of the log are equal to it. Returns those that are not equal in time. */
export async function compareLogs(logs: EventLog[], era: Era, withinMs: number): Promise<string[]> {
  const { differing } = await waitUntilEqual(async () => {
    const differences = await Promise.all(logs.map(log => log.difference(era)));
    return differences.flatMap((difference, n) =>
      difference === undefined ? [] : [`stream ${n + 1}: ${difference}`],
    );
  }, withinMs);
  return differing;
}
