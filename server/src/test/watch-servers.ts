import { afterAll, afterEach, expect } from 'vitest';
import { watchedServers } from './process.ts';

/** Checks after every test that no server has crashed or reported an unhandled error. */
afterEach(() => {
  for (const { process: child, output } of watchedServers) {
    const hasDied = child.exitCode !== null && !child.killed;
    const unhandledError = /^.*(unhandled rejection|uncaught exception).*$/m.exec(output())?.[0];
    expect({ died: hasDied, unhandled: unhandledError }, output().slice(-2_000)).toEqual({
      died: false,
      unhandled: undefined,
    });
  }
});

// All test files in a worker share the set.
afterAll(() => watchedServers.clear());
