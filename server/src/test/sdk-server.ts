import type { AddressInfo } from 'node:net';
import type { App } from '@halyard/plane/platform/http/app.ts';
import { keepCurrent } from '@halyard/plane/serving/state/keep-current.ts';
import { Registry } from 'prom-client';
import { afterAll, beforeAll } from 'vitest';
import { listenForChanges } from '../publishing/source/database-source.ts';
import { makeApiToken } from './factories.ts';
import type { Harness } from './harness.ts';

export type SdkServer = {
  /** The server's URL, without a trailing slash. */
  url: string;
  /** Starts one more server whose state is kept current until the tests end. Returns its URL. */
  keep: (app: App, databaseUrl?: string) => Promise<string>;
  /** Creates a token, which is a backend token by default. */
  token: (environment: string, projects?: string[], type?: 'backend' | 'frontend') => Promise<string>;
};

/** Serves SDKs over HTTP, and keeps the state current, as the real server does. */
export function useSdkServer(harness: Harness): SdkServer {
  const stopFunctions: (() => Promise<void>)[] = [];
  const server = {
    url: '',
    keep: async (app: App, databaseUrl = harness.databaseUrl) => {
      stopFunctions.push(
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
    for (const stop of stopFunctions) await stop();
  });
  return server;
}
