import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts'],
    globalSetup: 'server/src/test/template-database.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Each file has a database of its own; two cores, and PostgreSQL wants one of them.
    maxWorkers: 2,
  },
});
