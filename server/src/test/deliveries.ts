import { afterAll, beforeAll } from 'vitest';
import type { Result } from '../delivery/sending/attempt.ts';
import type { DispatcherSettings } from '../delivery/sending/dispatcher.ts';
import { makeSender } from '../platform/outgoing/send.ts';
import { keyringOf } from '../platform/secrets/seal.ts';
import { startWorker } from '../worker/worker.ts';
import { APP_SETTINGS, type Harness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { call } from './request.ts';

/** Short enough for a test to see all attempts of a delivery. */
const SCHEDULE = [0, 0.05, 0.05];
const SETTLED_WITHIN_MS = 100_000;

export type Deliveries = {
  receiver: Receiver;
  results: Result[];
  /** A webhook integration to the receiver, for new tag types by default. */
  addWebhook: (fields?: object, parameters?: object) => Promise<{ id: number; signingSecret: string }>;
  /** Records an event that matches the integrations of addWebhook. */
  happen: () => Promise<number>;
  records: (integration: number, query?: string) => Promise<Record<string, unknown>[]>;
  /** Waits until no delivery of the integration is open, and returns its records. */
  settled: (integration: number) => Promise<Record<string, unknown>[]>;
  settings: DispatcherSettings;
  start: () => Promise<() => Promise<void>>;
  /** Stops every worker that was started so far. */
  stopAll: () => Promise<void>;
};

/** A worker that delivers for the tests of one file, and a receiver. */
export function useDeliveries(harness: Harness, changes: Partial<DispatcherSettings> = {}): Deliveries {
  const it = { results: [] as Result[] } as Deliveries;
  const sender = makeSender({ allowed: [], allowPrivate: true });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const stops: (() => Promise<void>)[] = [];
  let count = 0;

  it.settings = {
    send: sender.send,
    keyring: keyringOf(APP_SETTINGS.secretKey, []),
    publicUrl: APP_SETTINGS.publicUrl,
    schedule: SCHEDULE,
    disableAfterHours: 0,
    observe: result => it.results.push(result),
    ...changes,
  };
  it.start = async () => {
    const stop = await startWorker(harness.databaseUrl, harness.db, log, it.settings);
    stops.push(stop);
    return stop;
  };
  it.stopAll = async () => {
    for (const stop of stops.splice(0)) await stop();
  };
  it.addWebhook = async (fields = {}, parameters = {}) => {
    const { status, body } = await call(harness.app, 'POST', '/api/admin/addons', {
      body: {
        provider: 'webhook',
        enabled: true,
        events: ['tag-type-created'],
        ...fields,
        parameters: { url: `${it.receiver.url}/hook`, ...parameters },
      },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  it.happen = async () => {
    await call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: `happened-${++count}` } });
    return count;
  };
  it.records = async (integration, query = '') =>
    (await call(harness.app, 'GET', `/api/admin/addons/${integration}/events${query}`)).body
      .integrationEvents;
  it.settled = async integration => {
    const until = Date.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const records = await it.records(integration, '?limit=1000');
      const open = records.filter(one => one.state === 'pending' || one.state === 'retrying');
      if (records.length > 0 && open.length === 0) return records;
      if (Date.now() > until) throw new Error(`${open.length} are still open: ${JSON.stringify(open[0])}`);
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  };
  beforeAll(async () => {
    it.receiver = await startReceiver();
    await it.start();
  });
  afterAll(async () => {
    await it.stopAll();
    await sender.close();
    await it.receiver?.close();
  });
  return it;
}
