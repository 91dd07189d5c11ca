import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../../server/src/test/process.ts';
import { type Api, createApi, createPerson, type Person } from '../support/api.ts';
import { launch } from '../support/browser.ts';
import { type LoadBalancer, startLoadBalancer } from '../support/server.ts';

/** The start is retried, because other servers on this machine may briefly use all of PostgreSQL's connections. */
const MAX_STARTS = 20;
const START_PAUSE_MS = 3000;

/** A server that can be restarted, its load balancer, a browser, and the user who edits. */
export type World = {
  api: Api;
  loadBalancer: LoadBalancer;
  browser: Browser;
  person: Person;
  /** Kills the server and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function startWorld(): Promise<World> {
  const name = `halyard_sequences_${randomBytes(6).toString('hex')}`;
  const adminToken = `*:*.${randomBytes(24).toString('hex')}`;
  await createDatabase(name);
  const env = {
    DATABASE_URL: getDatabaseUrl(name),
    HALYARD_INIT_ADMIN_TOKENS: adminToken,
    HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    HALYARD_POOL_SIZE: '4',
    LOG_LEVEL: 'error',
  };
  let server: RunningServer = await start(env);
  const target = { url: server.url };
  const loadBalancer = await startLoadBalancer(target);
  // The model's requests bypass the load balancer, which drops responses on purpose.
  const api: Api = {
    send: async (method, path, body) =>
      await createApi({ url: target.url, adminToken }).send(method, path, body),
  };
  const browser = await launch();
  return {
    api,
    loadBalancer,
    browser,
    person: await createPerson(api, { username: 'alice', rootRole: 'Admin' }),
    restart: async () => {
      await stopProcess(server, 'SIGKILL');
      server = await start(env);
      target.url = server.url;
    },
    stop: async () => {
      await browser.close();
      await loadBalancer.close();
      await stopProcess(server, 'SIGKILL');
      await dropDatabase(name);
    },
  };
}

async function start(env: Record<string, string>): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startProcess(env);
    } catch (error) {
      if (attempt === MAX_STARTS || !/accepts no more connections/.test(String(error))) throw error;
      await sleep(START_PAUSE_MS);
    }
  }
}

/** Accepts the browser's dialogs about unsaved input, so that the page can be left. */
export const acceptDialogs = (page: Page): void => {
  page.on('dialog', dialog => void dialog.accept().catch(() => {}));
};
