import { afterAll, beforeAll } from 'vitest';
import type { Result } from '../delivery/sending/attempt.ts';
import type { DispatcherSettings } from '../delivery/sending/dispatcher.ts';
import { makeSender } from '../platform/outgoing/send.ts';
import { makeKeyring } from '../platform/secrets/seal.ts';
import { startWorker } from '../worker/worker.ts';
import { APP_SETTINGS, type Harness } from './harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { call } from './request.ts';

/** The delays are short enough for a test to see all attempts of a delivery. */
const SCHEDULE = [0, 0.05, 0.05];
const SETTLE_TIMEOUT_MS = 100_000;

export type Deliveries = {
  receiver: Receiver;
  results: Result[];
  /** Creates a webhook integration to the receiver, for new tag types by default. */
  addWebhook: (fields?: object, parameters?: object) => Promise<{ id: number; signingSecret: string }>;
  /** Records an event that matches the integrations of addWebhook. */
  recordEvent: () => Promise<number>;
  records: (integration: number, query?: string) => Promise<Record<string, unknown>[]>;
  /** Waits until no delivery of the integration is open, and returns its records. */
  waitUntilSettled: (integration: number) => Promise<Record<string, unknown>[]>;
  settings: DispatcherSettings;
  start: () => Promise<() => Promise<void>>;
  /** Stops every worker that has been started so far. */
  stopAll: () => Promise<void>;
};

/** Sets up a worker and a receiver for the tests of one file. */
export function useDeliveries(harness: Harness, changes: Partial<DispatcherSettings> = {}): Deliveries {
  const deliveries = { results: [] as Result[] } as Deliveries;
  const sender = makeSender({ allowed: [], allowPrivate: true });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const stopFunctions: (() => Promise<void>)[] = [];
  let count = 0;

  deliveries.settings = {
    send: sender.send,
    keyring: makeKeyring(APP_SETTINGS.secretKey, []),
    publicUrl: APP_SETTINGS.publicUrl,
    schedule: SCHEDULE,
    disableAfterHours: 0,
    observe: result => deliveries.results.push(result),
    ...changes,
  };
  deliveries.start = async () => {
    const stop = await startWorker(harness.databaseUrl, harness.db, log, deliveries.settings);
    stopFunctions.push(stop);
    return stop;
  };
  deliveries.stopAll = async () => {
    for (const stop of stopFunctions.splice(0)) await stop();
  };
  deliveries.addWebhook = async (fields = {}, parameters = {}) => {
    const { status, body } = await call(harness.app, 'POST', '/api/admin/addons', {
      body: {
        provider: 'webhook',
        enabled: true,
        events: ['tag-type-created'],
        ...fields,
        parameters: { url: `${deliveries.receiver.url}/hook`, ...parameters },
      },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  deliveries.recordEvent = async () => {
    await call(harness.app, 'POST', '/api/admin/tag-types', { body: { name: `happened-${++count}` } });
    return count;
  };
  deliveries.records = async (integration, query = '') =>
    (await call(harness.app, 'GET', `/api/admin/addons/${integration}/events${query}`)).body
      .integrationEvents;
  deliveries.waitUntilSettled = async integration => {
    const deadline = Date.now() + SETTLE_TIMEOUT_MS;
    for (;;) {
      const records = await deliveries.records(integration, '?limit=1000');
      const openDeliveries = records.filter(
        record => record.state === 'pending' || record.state === 'retrying',
      );
      if (records.length > 0 && openDeliveries.length === 0) return records;
      if (Date.now() > deadline)
        throw new Error(`${openDeliveries.length} are still open: ${JSON.stringify(openDeliveries[0])}`);
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  };
  beforeAll(async () => {
    deliveries.receiver = await startReceiver();
    await deliveries.start();
  });
  afterAll(async () => {
    await deliveries.stopAll();
    await sender.close();
    await deliveries.receiver?.close();
  });
  return deliveries;
}
