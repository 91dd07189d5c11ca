import { defineConfig } from 'vitest/config';

/** Tests of what we publish: `npm run check:release`. They install it, so they need the npm registry. */
export default defineConfig({
  test: {
    include: ['release/*.release.ts'],
    globalSetup: ['release/support/global-setup.ts'],
    // They measure memory and seconds.
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
