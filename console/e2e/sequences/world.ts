import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { createDatabase, dropDatabase, urlOf } from '../../../server/src/test/database.ts';
import { type RunningServer, startProcess, stopProcess } from '../../../server/src/test/process.ts';
import { type Api, apiOf, createPerson, type Person } from '../support/api.ts';
import { launch } from '../support/browser.ts';
import { type Front, startFront } from '../support/server.ts';

/** Other servers on this machine may use all of PostgreSQL's connections for a moment. */
const MAX_STARTS = 20;
const START_PAUSE_MS = 3000;

/** A server that can be restarted, the load balancer in front of it, a browser, and the user who edits. */
export type World = {
  api: Api;
  front: Front;
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
    DATABASE_URL: urlOf(name),
    HALYARD_INIT_ADMIN_TOKENS: adminToken,
    HALYARD_SECRET_KEY: randomBytes(32).toString('base64'),
    HALYARD_POOL_SIZE: '4',
    LOG_LEVEL: 'error',
  };
  let running: RunningServer = await start(env);
  const target = { url: running.url };
  const front = await startFront(target);
  // The model's requests bypass the load balancer, which loses responses.
  const api: Api = {
    send: async (method, path, body) => await apiOf({ url: target.url, adminToken }).send(method, path, body),
  };
  const browser = await launch();
  return {
    api,
    front,
    browser,
    person: await createPerson(api, { username: 'alice', rootRole: 'Admin' }),
    restart: async () => {
      await stopProcess(running, 'SIGKILL');
      running = await start(env);
      target.url = running.url;
    },
    stop: async () => {
      await browser.close();
      await front.close();
      await stopProcess(running, 'SIGKILL');
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

/** Accepts that the browser asks about unsaved input. */
export const acceptDialogs = (page: Page): void => {
  page.on('dialog', dialog => void dialog.accept().catch(() => {}));
};
