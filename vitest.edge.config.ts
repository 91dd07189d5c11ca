import { defineConfig } from 'vitest/config';

/** Tests of NATS failures: `npm run test:edge`. They download nats-server from Debian testing, so they are not part of CI. */
export default defineConfig({
  test: {
    include: ['edge/failures/*.failures.ts'],
    globalSetup: [
      'server/src/test/template-database.ts',
      'server/src/test/row-types/folder.ts',
      'server/src/test/server-bundle.ts',
    ],
    setupFiles: ['server/src/test/watch-servers.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
