import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, formatCounts } from '../campaign.ts';
import { describeOutcome, type Kind, startCallers } from '../load.ts';
import { send } from '../requests.ts';
import { ADMIN_TOKEN } from '../server.ts';

const PAUSE_MS = 50;
const STREAMS = 20;
const EVENT_STREAMS = 3;

export type Load = {
  failures: () => number;
  /** Formats the number of requests by kind, and the failures, on one line. */
  summary: () => string;
  stop: () => Promise<void>;
};

/** Starts callers at one URL: admins that read and write, and SDKs that poll, stream, register and report metrics. */
export function startLoad(url: string, token: string): Load {
  const requestCounts = new Map<string, number>();
  const failureCounts = new Map<string, number>();
  let isRunning = true;

  function note(kind: string, failure?: string): void {
    count(requestCounts, kind);
    if (failure !== undefined) count(failureCounts, `${kind}: ${failure}`);
  }

  const makeKind = (
    name: string,
    callers: number,
    path: string,
    authorization: string,
    expected: number,
    makeBody?: () => object,
  ): Kind => ({
    ...{ name, callers, pauseMs: PAUSE_MS, expected: [expected] },
    send: () => send(url, makeBody ? 'POST' : 'GET', path, makeBody?.(), authorization),
  });

  /** Keeps a stream open by reconnecting whenever the server ends the stream, as SDKs do. */
  async function keepStreamOpen(name: string, path: string, authorization: string): Promise<void> {
    const headers = { authorization, accept: 'text/event-stream' };
    while (isRunning) {
      const request = get(`${url}${path}`, { agent: false, headers });
      const response = await once(request, 'response').then(
        ([message]) => message as IncomingMessage,
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
  const makeFlag = () => ({ name: `f-${randomBytes(8).toString('hex')}` });
  const makeRegistration = () => ({ ...instance, started: new Date(), interval: 10_000, strategies: [] });
  const makeMetrics = () => ({
    ...instance,
    bucket: { start: new Date(), stop: new Date(), toggles: { any: { yes: 1, no: 1 } } },
  });
  const stopCallers = startCallers(
    [
      makeKind('read', 2, '/api/admin/projects', ADMIN_TOKEN, 200),
      makeKind('write', 3, '/api/admin/projects/default/features', ADMIN_TOKEN, 201, makeFlag),
      makeKind('poll', 2, '/api/client/features', token, 200),
      makeKind('registration', 2, '/api/client/register', token, 202, makeRegistration),
      makeKind('metrics', 1, '/api/client/metrics', token, 202, makeMetrics),
    ],
    ({ kind: { name }, isExpected, response }) =>
      note(name, isExpected ? undefined : describeOutcome(response)),
  );
  const streams = [
    ...Array.from({ length: STREAMS }, () => keepStreamOpen('stream', '/api/client/streaming', token)),
    ...Array.from({ length: EVENT_STREAMS }, () =>
      keepStreamOpen('event stream', '/api/admin/events/stream', ADMIN_TOKEN),
    ),
  ];

  return {
    failures: () => [...failureCounts.values()].reduce((sum, n) => sum + n, 0),
    summary: () => `${formatCounts(requestCounts)}; failed: ${formatCounts(failureCounts) || 'none'}`,
    stop: async () => {
      isRunning = false;
      await stopCallers();
      await Promise.all(streams);
    },
  };
}
