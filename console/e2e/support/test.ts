import type { Browser, BrowserContext, Page } from 'playwright-core';
import { test as base, expect, inject } from 'vitest';
import { axeScript } from './accessible.ts';
import { type Api, apiOf, createPerson, type NewPerson, type Person } from './api.ts';
import { launch } from './browser.ts';
import { logIn } from './log-in.ts';
import { watchProblems } from './problems.ts';
import { type ConsoleServer, startServer } from './server.ts';

/** Started by the first test of a worker, and ended with it. */
let launched: Promise<Browser> | undefined;

const browser = (): Promise<Browser> => {
  launched ??= launch();
  return launched;
};

export type Target = Pick<ConsoleServer, 'url' | 'adminToken'>;

type Fixtures = {
  /** The server of the test. By default all tests share one. */
  server: Target;
  api: Api;
  /** Problems that the test expects the page to report. */
  tolerated: RegExp[];
  /** Opens a browser window of its own, with its own cookies. */
  newPage: (options?: Parameters<Browser['newContext']>[0]) => Promise<Page>;
  page: Page;
  /** Creates a user with the roles and logs them in on the page. */
  logInAs: (roles?: NewPerson, page?: Page) => Promise<Person>;
};

/** A test with a page in a fresh browser context. It fails if the page logs an error or violates its policy. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
  server: async ({}, use) => await use(inject('consoleServer')),
  api: async ({ server }, use) => await use(apiOf(server)),
  // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
  tolerated: async ({}, use) => await use([]),
  newPage: async ({ server, tolerated }, use) => {
    const contexts: BrowserContext[] = [];
    const problems: (() => string[])[] = [];
    await use(async (options = {}) => {
      const context = await (await browser()).newContext({
        baseURL: server.url,
        viewport: { width: 1440, height: 900 },
        locale: 'en-GB',
        timezoneId: 'UTC',
        // Colours are compared when no transition runs.
        reducedMotion: 'reduce',
        ...options,
      });
      contexts.push(context);
      context.setDefaultTimeout(20_000);
      await context.addInitScript(axeScript);
      const page = await context.newPage();
      problems.push(watchProblems(page));
      return page;
    });
    const found = problems
      .flatMap(list => list())
      .filter(problem => !tolerated.some(pattern => pattern.test(problem)));
    for (const context of contexts) await context.close();
    // An error here would leave the server of the test running.
    expect.soft(found, 'Problems that the page reported').toEqual([]);
  },
  page: async ({ newPage }, use) => await use(await newPage()),
  logInAs: async ({ api, page }, use) =>
    await use(async (roles, on = page) => {
      const person = await createPerson(api, roles);
      await logIn(on, person);
      return person;
    }),
});

/** A test with a server of its own: for limits that count all callers, and for settings. It costs 1 s of CPU time. */
export const testWithOwnServer = (env: Record<string, string> = {}) =>
  test.extend<{ server: Target }>({
    // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
    server: async ({}, use) => {
      const server = await startServer(inject('consoleTemplate'), env);
      try {
        await use(server);
      } finally {
        await server.stop();
      }
    },
  });
