import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { afterAll, beforeAll } from 'vitest';
import type { App } from '../../../plane/src/platform/http/app.ts';
import { keepCurrent } from '../../../plane/src/serving/state/keep-current.ts';
import { listenForChanges } from '../publishing/source/database-source.ts';
import { makeApiToken } from './factories.ts';
import type { Harness } from './harness.ts';

export type SdkServer = {
  /** The server's URL, without a trailing slash. */
  url: string;
  /** Also keeps the state of another server current, until the tests end. */
  keep: (app: App, databaseUrl?: string) => Promise<string>;
  /** A new token, by default a backend token. */
  token: (environment: string, projects?: string[], type?: 'backend' | 'frontend') => Promise<string>;
};

/** Serves SDKs over HTTP, and keeps the state current, as the real server does. */
export function useSdkServer(harness: Harness): SdkServer {
  const stops: (() => Promise<void>)[] = [];
  const server = {
    url: '',
    keep: async (app: App, databaseUrl = harness.databaseUrl) => {
      stops.push(
        await keepCurrent(app.serving, listenForChanges(databaseUrl), { warn: () => {} }, new Registry()),
      );
      await app.listen({ host: '127.0.0.1', port: 0 });
      return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    },
    token: async (environment: string, projects?: string[], type: 'backend' | 'frontend' = 'backend') => {
      const fields = { tokenName: `sdk of ${environment}`, type, environment };
      return (await makeApiToken(harness.db, { ...fields, ...(projects ? { projects } : {}) })).secret;
    },
  };
  beforeAll(async () => {
    server.url = await server.keep(harness.app);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return server;
}
