import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStream } from '../../server/src/test/sdk-stream.ts';
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
  async function send(kind: string, path: string, init: () => RequestInit, expected: number): Promise<void> {
    while (isRunning) {
      const failure = await fetch(`${entry}${path}`, init()).then(
        async response => {
          await response.arrayBuffer();
          return expected === response.status ? undefined : String(response.status);
        },
        error => String(error.cause?.code ?? error.message),
      );
      note(kind, failure);
      await sleep(PAUSE_MS);
    }
  }

  /** Keeps a stream open: it reconnects when the server ends it, as SDKs do. */
  async function keepStream(): Promise<void> {
    while (isRunning) {
      const stream = await openStream(entry, token).catch(error => error as Error);
      note(
        'stream',
        stream instanceof Error ? stream.message : stream.status === 200 ? undefined : String(stream.status),
      );
      if (stream instanceof Error) continue;
      while (isRunning && !stream.isClosed()) await sleep(100);
      stream.close();
    }
  }

  /** The same for a stream of events. */
  async function keepEventStream(): Promise<void> {
    while (isRunning) {
      const request = get(`${entry}/api/admin/events/stream`, {
        agent: false,
        headers: { authorization: ADMIN_TOKEN },
      });
      const response = await once(request, 'response').then(
        ([one]) => one as IncomingMessage,
        error => error as Error,
      );
      if (response instanceof Error) {
        note('event stream', response.message);
        continue;
      }
      note('event stream', response.statusCode === 200 ? undefined : String(response.statusCode));
      request.on('error', () => {});
      response.on('error', () => {}).resume();
      while (isRunning && !response.closed) await sleep(100);
      request.destroy();
    }
  }

  const admin = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const sdk = { authorization: token, 'content-type': 'application/json' };
  const body = (value: object) => JSON.stringify(value);
  const instance = { appName: 'restart', instanceId: 'one' };
  const load = [
    ...[1, 2].map(() => send('read', '/api/admin/projects', () => ({ headers: admin }), 200)),
    ...[1, 2, 3].map(() =>
      send(
        'write',
        '/api/admin/projects/default/features',
        () => ({
          method: 'POST',
          headers: admin,
          body: body({ name: `f-${randomBytes(8).toString('hex')}` }),
        }),
        201,
      ),
    ),
    ...[1, 2].map(() => send('poll', '/api/client/features', () => ({ headers: sdk }), 200)),
    ...[1, 2].map(() =>
      send(
        'registration',
        '/api/client/register',
        () => ({
          method: 'POST',
          headers: sdk,
          body: body({ ...instance, started: new Date(), interval: 10_000, strategies: [] }),
        }),
        202,
      ),
    ),
    send(
      'metrics',
      '/api/client/metrics',
      () => ({
        method: 'POST',
        headers: sdk,
        body: body({
          ...instance,
          bucket: { start: new Date(), stop: new Date(), toggles: { any: { yes: 1, no: 1 } } },
        }),
      }),
      202,
    ),
    ...Array.from({ length: STREAMS }, keepStream),
    ...Array.from({ length: EVENT_STREAMS }, keepEventStream),
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
