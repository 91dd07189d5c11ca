import { configDefaults, defineConfig } from 'vitest/config';

const PROCESSES = [
  'clients/*.process.test.ts',
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
    // Generous, so that a test passes on a busy machine. Only a failing test takes that long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // By default one core is left free, which on a machine with two makes the run twice as long.
    maxWorkers: '100%',
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
        // These start servers, which take all cores: one after the other, when nothing else runs.
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
