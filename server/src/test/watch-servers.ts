import { afterAll, afterEach, expect } from 'vitest';
import { watched } from './process.ts';

/** Whatever a test is about, no server may crash or leave an error unhandled. */
afterEach(() => {
  for (const { process: child, output } of watched) {
    const died = child.exitCode !== null && !child.killed;
    const unhandled = /^.*(unhandled rejection|uncaught exception).*$/m.exec(output())?.[0];
    expect({ died, unhandled }, output().slice(-2_000)).toEqual({ died: false, unhandled: undefined });
  }
});

// The files of a worker share the list.
afterAll(() => watched.clear());
