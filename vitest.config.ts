import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { repeatedTests } from './scripts/repeated-tests.ts';

const PROCESSES = [
  'clients/*.process.test.ts',
  'edge/src/**/*.process.test.ts',
  'plane/src/**/*.process.test.ts',
  'server/scripts/**/*.process.test.ts',
  'server/src/main.test.ts',
  'server/src/**/*.kill.test.ts',
  'server/src/**/*.process.test.ts',
  'server/src/test/kill.test.ts',
];
const TEMPLATE = 'server/src/test/template-database.ts';

/** For the projects that start servers. */
const BUNDLE = 'server/src/test/server-bundle.ts';

/** Tests that compare what all other tests recorded with the sources: rows with their types, and events with the operations that declare them. */
const WHOLE_RUN = ['server/src/test/row-types/row-types.test.ts', 'server/src/test/operation-events.test.ts'];

/**
 * A retry hides a race, so by default the first failure counts. In CI, where a whole day's work may depend on one run, a failed test
 * is retried once, and a failed browser test twice. `.ci/run` lists every retried test as "retry x1" at the end of the run, and each
 * of them is a defect to investigate. `TEST_RETRIES=0` disables retries.
 */
const RETRIES = Number(process.env.TEST_RETRIES ?? (process.env.CI ? 1 : 0));
const BROWSER_RETRIES = RETRIES * 2;

/** Settings for tests that start servers, some of which kill them many times. Starting a server takes 20 s on a busy machine. */
const WITH_SERVERS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: RETRIES,
  expect: { poll: { timeout: 150_000 } },
};

export default defineConfig({
  test: {
    reporters: ['default', repeatedTests],
    setupFiles: ['server/src/test/row-types/record.ts'],
    globalSetup: [TEMPLATE, 'server/src/test/row-types/folder.ts'],
    // Spelled out because it matters: an unhandled rejection anywhere fails the run.
    dangerouslyIgnoreUnhandledErrors: false,
    // Migrations are not modules, so watch mode would not notice a change otherwise.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/server/migrations/**'],
    // Only a hanging test takes this long. A test that needs more time sets a timeout.
    testTimeout: process.env.CAMPAIGN === 'long' ? 600_000 : 60_000,
    // Creating a database waits for PostgreSQL, which many tests keep busy at the start of a run.
    hookTimeout: 300_000,
    retry: RETRIES,
    expect: { poll: { timeout: 50_000 } },
    // Two more than there are cores, because tests also wait: for PostgreSQL, for timeouts, for a browser.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        extends: true,
        // These start servers. Within a group, projects run in the order of their names.
        test: {
          name: 'processes',
          include: PROCESSES,
          globalSetup: [BUNDLE],
          setupFiles: ['server/src/test/watch-servers.ts'],
          isolate: false,
          ...WITH_SERVERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['plane/**/*.test.ts', 'edge/**/*.test.ts', 'server/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...PROCESSES, ...WHOLE_RUN],
          // Each worker loads the server once instead of once per file: 149 tests took 11 s of CPU instead of 24.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Pure functions: no database, no browser.
        test: {
          name: 'console',
          include: ['console/{src,scripts,e2e}/**/*.test.ts'],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // The client of the console on a real server, without a browser.
        test: {
          name: 'console client',
          include: ['console/integration/*.test.ts'],
          globalSetup: [TEMPLATE, BUNDLE, 'console/integration/support/global-setup.ts'],
          ...WITH_SERVERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // The CLI on a real server, which all its tests share.
        test: {
          name: 'cli',
          include: ['cli/{test,scripts}/*.test.ts'],
          globalSetup: [TEMPLATE, BUNDLE, 'cli/test/support/global-setup.ts'],
          ...WITH_SERVERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // A browser on a real server with the built console.
        test: {
          name: 'console e2e',
          include: ['console/e2e/*.e2e.ts'],
          globalSetup: [TEMPLATE, BUNDLE, 'console/e2e/support/global-setup.ts'],
          // The files of a worker share its browser.
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Finding an element by its role takes up to 10 ms of CPU time.
          expect: { poll: { timeout: 60_000, interval: 200 } },
          retry: BROWSER_RETRIES,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'whole run', include: WHOLE_RUN, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
