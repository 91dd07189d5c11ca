import { configDefaults, defineConfig } from 'vitest/config';

const PROCESSES = [
  'server/src/main.test.ts',
  'server/src/**/*.kill.test.ts',
  'server/src/**/*.process.test.ts',
  'server/src/test/kill.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: 'server/src/test/template-database.ts',
    // Spelled out because it matters: an unhandled rejection anywhere fails the run.
    dangerouslyIgnoreUnhandledErrors: false,
    // Migrations are no modules: without this, watch mode would not notice a change.
    forceRerunTriggers: [...configDefaults.forceRerunTriggers, '**/server/migrations/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for computes a password first, which takes longer than the usual second when all cores are busy.
    expect: { poll: { timeout: 4_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['server/**/*.test.ts'],
          exclude: PROCESSES,
          // Each worker loads the server once instead of once per file: 149 tests took 11 s of CPU instead of 24.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        // These start servers and look at the clock: one after the other, when nothing else runs.
        test: {
          name: 'processes',
          include: PROCESSES,
          setupFiles: 'server/src/test/watch-servers.ts',
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
