import { setTimeout as sleep } from 'node:timers/promises';
import { connectStream } from '../../server/src/test/event-stream-client.ts';
import { waitUntilEqual } from '../sdks.ts';
import { buildCondition, buildSearchPath, type Search } from '../search/plain.ts';
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
  /** Describes the first difference from the database's log, and returns undefined if there is none. */
  difference: (era: Era) => Promise<string | undefined>;
  counts: { resets: number; received: number };
  stop: () => Promise<void>;
};

/**
 * Keeps a copy of the log by tailing a stream, as a consumer does. When a stream ends, it drops the events that are newer than the
 * stream's last id, and reconnects with that id.
 */
export async function tailEvents(
  server: string,
  search: Search,
  onUnexplained: (problem: string) => void,
): Promise<EventLog> {
  const path = buildSearchPath(search).replace('/search/events', '/events/stream');
  const log = new Map<number, string>();
  const counts = { resets: 0, received: 0 };
  let isStopped = false;
  let lastEventId: string | undefined;
  let duplicateId: number | undefined;
  let close = () => {};

  async function connect(): Promise<void> {
    const stream = await connectStream(`${server}${path}`, ADMIN_TOKEN, {
      lastEventId,
      keepEvents: false,
      onEvent: ({ id, data }) => {
        counts.received++;
        if (log.has(id)) duplicateId ??= id;
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
    firstId ??= Number(lastEventId);
    onStarted();
    const isComplete = await stream.closed;
    lastEventId = stream.lastEventId();
    if (isStopped) return;
    const reason = stream.lines.at(-1) ?? '';
    if (!isComplete || !/^: .*Reconnect\.$/.test(reason))
      onUnexplained(`the stream ${path} ended with ${JSON.stringify(reason)}`);
    counts.resets++;
    for (const id of log.keys()) if (id > Number(lastEventId)) log.delete(id);
  }

  let firstId: number | undefined;
  let onStarted = () => {};
  const ready = new Promise<void>(resolve => {
    onStarted = resolve;
  });
  const connecting = (async () => {
    while (!isStopped) {
      await connect().catch(() => {});
      await sleep(RECONNECT_MS);
    }
  })();
  await ready;

  return {
    difference: async ({ pool }) => {
      if (duplicateId !== undefined) return `got event ${duplicateId} twice`;
      const { rows } = await pool.query<{ id: string; group: string }>(
        `select id, group_id as group from events where id > ${firstId} and ${buildCondition(search, undefined)} order by id`,
      );
      const ownEvents = [...log].map(([id, group]) => `${id} ${group}`);
      const storedEvents = rows.map(({ id, group }) => `${id} ${group}`);
      const index = storedEvents.findIndex((event, n) => event !== ownEvents[n]);
      if (index < 0 && ownEvents.length === storedEvents.length) return undefined;
      const n = index < 0 ? storedEvents.length : index;
      return `event ${ownEvents[n] ?? 'missing'} instead of ${storedEvents[n] ?? 'none'}, ${ownEvents.length} events instead of ${storedEvents.length}`;
    },
    counts,
    stop: async () => {
      isStopped = true;
      close();
      await connecting;
    },
  };
}

/** Waits until all copies match the database's log or the time is up, and returns the remaining differences. */
export async function compareLogs(logs: EventLog[], era: Era, withinMs: number): Promise<string[]> {
  const { differing } = await waitUntilEqual(async () => {
    const differences = await Promise.all(logs.map(log => log.difference(era)));
    return differences.flatMap((difference, n) =>
      difference === undefined ? [] : [`stream ${n + 1}: ${difference}`],
    );
  }, withinMs);
  return differing;
}
