import type { BrowserContextOptions, Page } from 'playwright-core';
import { test as base, expect, inject, type TestContext } from 'vitest';
import { type Api, createApi, createPerson, type NewPerson, type Person } from './api.ts';
import { openTab } from './contexts.ts';
import { printAfterFailure } from './failure.ts';
import { logIn } from './log-in.ts';
import { watchProblems } from './problems.ts';
import { leaveRoleTab, openRoleTab, type RootRole } from './role-tab.ts';
import { type ConsoleServer, type LoadBalancer, startLoadBalancer, startServer } from './server.ts';

export type Target = Omit<ConsoleServer, 'stop'>;

type Fixtures = {
  /** The server of the test. By default, all tests share one server. */
  server: Target;
  api: Api;
  /** Problems that the test expects the page to report. */
  tolerated: RegExp[];
  /** Watches a page for problems. At the end, the test fails if a problem matches none of the tolerated patterns. */
  watch: (page: Page) => void;
  /** Opens a page in a new browser window with its own cookies. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>;
  page: Page;
  /** Creates a user with the roles and logs them in on the page. */
  logInAs: (roles?: NewPerson, page?: Page) => Promise<Person>;
};

const hasFailed = (task: TestContext['task']): boolean => task.result?.state === 'fail';

/** A test with a new page, without cookies and stored settings. The test fails if the page logs an error or violates its policy. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
  server: async ({}, use) => await use(inject('consoleServer')),
  api: async ({ server }, use) => await use(createApi(server)),
  // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
  tolerated: async ({}, use) => await use([]),
  watch: async ({ tolerated }, use) => {
    const problems: (() => string[])[] = [];
    await use(page => void problems.push(watchProblems(page)));
    const found = problems
      .flatMap(list => list())
      .filter(problem => !tolerated.some(pattern => pattern.test(problem)));
    // A soft assertion, because an exception would skip the fixture that stops the test's server.
    expect.soft(found, 'Problems that the page reported').toEqual([]);
  },
  newPage: async ({ server, watch, task }, use) => {
    const opened: { page: Page; close: () => Promise<void> }[] = [];
    await use(async ({ viewport, colorScheme, ...options } = {}) => {
      const tab = await openTab(server.url, options);
      opened.push(tab);
      if (viewport) await tab.page.setViewportSize(viewport);
      if (colorScheme) await tab.page.emulateMedia({ colorScheme });
      watch(tab.page);
      return tab.page;
    });
    for (const { page, close } of opened) {
      await printAfterFailure(page, hasFailed(task));
      await close();
    }
  },
  page: async ({ server, watch, task }, use) => {
    const { page, close } = await openTab(server.url);
    watch(page);
    await use(page);
    await printAfterFailure(page, hasFailed(task));
    await close();
  },
  logInAs: async ({ api, page }, use) =>
    await use(async (roles, targetPage = page) => {
      const person = await createPerson(api, roles);
      await logIn(targetPage, person);
      return person;
    }),
});

/**
 * A test as a user with the role, in a tab that the worker's tests share. Only the first `visit` loads the console, which saves 1 s of CPU
 * time compared with `test`. Do not use it for tests that change their user, their browser or what the browser stores.
 */
const testAs = (role: RootRole) =>
  test.extend<{ page: Page }>({
    page: async ({ watch, task }, use) => {
      const page = await openRoleTab(role);
      watch(page);
      await use(page);
      await printAfterFailure(page, hasFailed(task));
      await leaveRoleTab(role, !hasFailed(task));
    },
  });

export const testAsAdmin = testAs('Admin');
export const testAsEditor = testAs('Editor');
export const testAsViewer = testAs('Viewer');

/** A test with a separate server, for instance settings and for limits that all callers share. Starting it takes 1 s of CPU time. */
export const testWithOwnServer = (env: Record<string, string> = {}) =>
  test.extend<{ server: Target }>({
    // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
    server: async ({}, use) => {
      const server = await startServer(inject('template'), env);
      try {
        await use(server);
      } finally {
        await server.stop();
      }
    },
  });

/** A test that reaches the shared server through a load balancer, which can lose responses and be unreachable. */
export const testBehindLoadBalancer = test.extend<{ server: Target & { loadBalancer: LoadBalancer } }>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Vitest requires
  server: async ({}, use) => {
    const shared = inject('consoleServer');
    const loadBalancer = await startLoadBalancer({ url: shared.url });
    try {
      await use({ ...shared, url: loadBalancer.url, loadBalancer });
    } finally {
      await loadBalancer.close();
    }
  },
});
