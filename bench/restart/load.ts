import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { send as sendOne } from '../requests.ts';
import { ADMIN_TOKEN } from '../server.ts';

const PAUSE_MS = 50;
const STREAMS = 20;
const EVENT_STREAMS = 3;

type Count = { sent: number; failed: Map<string, number> };

export type Load = {
  failed: () => number;
  /** The failures by kind of request, in one line. */
  failures: () => string;
  /** Counts by kind of request, one per line. */
  summary: () => string;
  stop: () => Promise<void>;
};

/** Callers of every kind that reach the servers at one URL: admin reads and writes, SDKs with polls, streams and metrics. */
export function startLoad(entry: string, token: string): Load {
  const counts = new Map<string, Count>();
  let isRunning = true;

  function note(kind: string, failure?: string): void {
    const count = counts.get(kind) ?? { sent: 0, failed: new Map() };
    count.sent++;
    if (failure !== undefined) count.failed.set(failure, (count.failed.get(failure) ?? 0) + 1);
    counts.set(kind, count);
  }

  /** Sends requests of one kind, one after the other, until the end. */
  async function send(
    kind: string,
    path: string,
    authorization: string,
    expected: number,
    bodyOf?: () => object,
  ): Promise<void> {
    while (isRunning) {
      const method = bodyOf ? 'POST' : 'GET';
      const { status, error } = await sendOne(entry, method, path, bodyOf?.(), authorization);
      const failure = error
        ? String((error.cause as NodeJS.ErrnoException)?.code ?? error.message)
        : `${status}`;
      note(kind, status === expected ? undefined : failure);
      await sleep(PAUSE_MS);
    }
  }

  /** Keeps a stream open: it reconnects when the server ends it, as SDKs do. */
  async function keep(kind: string, path: string, authorization: string): Promise<void> {
    while (isRunning) {
      const request = get(`${entry}${path}`, {
        agent: false,
        headers: { authorization, accept: 'text/event-stream' },
      });
      const response = await once(request, 'response').then(
        ([one]) => one as IncomingMessage,
        error => error as Error,
      );
      if (response instanceof Error) {
        note(kind, response.message);
        continue;
      }
      note(kind, response.statusCode === 200 ? undefined : String(response.statusCode));
      request.on('error', () => {});
      response.on('error', () => {}).resume();
      while (isRunning && !response.closed) await sleep(100);
      request.destroy();
    }
  }

  const instance = { appName: 'restart', instanceId: 'one' };
  const times = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work);
  const load = [
    ...times(2, () => send('read', '/api/admin/projects', ADMIN_TOKEN, 200)),
    ...times(3, () =>
      send('write', '/api/admin/projects/default/features', ADMIN_TOKEN, 201, () => ({
        name: `f-${randomBytes(8).toString('hex')}`,
      })),
    ),
    ...times(2, () => send('poll', '/api/client/features', token, 200)),
    ...times(2, () =>
      send('registration', '/api/client/register', token, 202, () => ({
        ...instance,
        started: new Date(),
        interval: 10_000,
        strategies: [],
      })),
    ),
    send('metrics', '/api/client/metrics', token, 202, () => ({
      ...instance,
      bucket: { start: new Date(), stop: new Date(), toggles: { any: { yes: 1, no: 1 } } },
    })),
    ...times(STREAMS, () => keep('stream', '/api/client/streaming', token)),
    ...times(EVENT_STREAMS, () => keep('event stream', '/api/admin/events/stream', ADMIN_TOKEN)),
  ];

  return {
    failed: () =>
      [...counts.values()].flatMap(count => [...count.failed.values()]).reduce((sum, n) => sum + n, 0),
    failures: () =>
      [...counts]
        .filter(([, { failed }]) => failed.size > 0)
        .map(([kind, { failed }]) => `${kind} ${listed(failed)}`)
        .join(', '),
    summary: () =>
      [...counts]
        .map(([kind, { sent, failed }]) => `${kind}: ${sent} sent, failed: ${listed(failed) || 'none'}`)
        .join('\n'),
    stop: async () => {
      isRunning = false;
      await Promise.all(load);
    },
  };
}

const listed = (failed: Map<string, number>): string =>
  [...failed].map(([why, n]) => `${n} × ${why}`).join(', ');
