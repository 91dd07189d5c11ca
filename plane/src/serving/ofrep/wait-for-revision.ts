import type { Scope } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';

const LONGEST_WAIT_MS = 1_000;
const MAX_WAITING = 1_000;
const POSITION = /^"?([0-9a-z]{1,50}\.[0-9a-z]{1,50})\.([0-9]{1,10})"?$/;

/**
 * Waits up to 1 s until this server has the revision that another server's notification named. A client that evaluates too early
 * would get old results, and no further notification.
 */
export function makeWaitForRevision(state: ServingState): (scope: Scope, named: unknown) => Promise<void> {
  let waiting = 0;
  return async (scope, named) => {
    const [, prefix, revision] = POSITION.exec(String(named ?? '')) ?? [];
    const isBehind = () => scope.revision < Number(revision);
    if (prefix !== `${scope.current.epoch}.${scope.id}` || !isBehind() || waiting >= MAX_WAITING) return;
    waiting++;
    await new Promise<void>(resolve => {
      const done = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(done, LONGEST_WAIT_MS);
      const stop = state.onChange(() => {
        if (!isBehind()) done();
      });
    });
    waiting--;
  };
}
