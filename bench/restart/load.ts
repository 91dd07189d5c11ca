import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, listed } from '../campaign.ts';
import { type Kind, outcomeOf, startCallers } from '../load.ts';
import { send } from '../requests.ts';
import { ADMIN_TOKEN } from '../server.ts';

const PAUSE_MS = 50;
const STREAMS = 20;
const EVENT_STREAMS = 3;

export type Load = {
  failed: () => number;
  /** Requests by kind, and the failures among them, in one line. */
  summary: () => string;
  stop: () => Promise<void>;
};

/** Callers of every kind that reach the servers at one URL: admin reads and writes, SDKs with polls, streams and metrics. */
export function startLoad(entry: string, token: string): Load {
  const sent = new Map<string, number>();
  const failures = new Map<string, number>();
  let isRunning = true;

  function note(kind: string, failure?: string): void {
    count(sent, kind);
    if (failure !== undefined) count(failures, `${kind}: ${failure}`);
  }

  const kind = (
    name: string,
    callers: number,
    path: string,
    authorization: string,
    expected: number,
    bodyOf?: () => object,
  ): Kind => ({
    ...{ name, callers, pauseMs: PAUSE_MS, expected: [expected] },
    send: () => send(entry, bodyOf ? 'POST' : 'GET', path, bodyOf?.(), authorization),
  });

  /** Keeps a stream open: it reconnects when the server ends it, as SDKs do. */
  async function keep(name: string, path: string, authorization: string): Promise<void> {
    const headers = { authorization, accept: 'text/event-stream' };
    while (isRunning) {
      const request = get(`${entry}${path}`, { agent: false, headers });
      const response = await once(request, 'response').then(
        ([one]) => one as IncomingMessage,
        error => error as Error,
      );
      if (response instanceof Error) {
        note(name, response.message);
        continue;
      }
      note(name, response.statusCode === 200 ? undefined : String(response.statusCode));
      request.on('error', () => {});
      response.on('error', () => {}).resume();
      while (isRunning && !response.closed) await sleep(100);
      request.destroy();
    }
  }

  const instance = { appName: 'restart', instanceId: 'one' };
  const flag = () => ({ name: `f-${randomBytes(8).toString('hex')}` });
  const registration = () => ({ ...instance, started: new Date(), interval: 10_000, strategies: [] });
  const metrics = () => ({
    ...instance,
    bucket: { start: new Date(), stop: new Date(), toggles: { any: { yes: 1, no: 1 } } },
  });
  const stopCallers = startCallers(
    [
      kind('read', 2, '/api/admin/projects', ADMIN_TOKEN, 200),
      kind('write', 3, '/api/admin/projects/default/features', ADMIN_TOKEN, 201, flag),
      kind('poll', 2, '/api/client/features', token, 200),
      kind('registration', 2, '/api/client/register', token, 202, registration),
      kind('metrics', 1, '/api/client/metrics', token, 202, metrics),
    ],
    ({ kind: { name }, isExpected, response }) => note(name, isExpected ? undefined : outcomeOf(response)),
  );
  const streams = [
    ...Array.from({ length: STREAMS }, () => keep('stream', '/api/client/streaming', token)),
    ...Array.from({ length: EVENT_STREAMS }, () =>
      keep('event stream', '/api/admin/events/stream', ADMIN_TOKEN),
    ),
  ];

  return {
    failed: () => [...failures.values()].reduce((sum, n) => sum + n, 0),
    summary: () => `${listed(sent)}; failed: ${listed(failures) || 'none'}`,
    stop: async () => {
      isRunning = false;
      await stopCallers();
      await Promise.all(streams);
    },
  };
}
