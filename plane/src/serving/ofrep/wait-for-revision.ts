import type { Scope } from '../state/scope.ts';
import type { ServingState } from '../state/serving.ts';

const MAX_WAIT_MS = 1_000;
const MAX_WAITING_REQUESTS = 1_000;
const POSITION = /^"?([0-9a-z]{1,50}\.[0-9a-z]{1,50})\.([0-9]{1,10})"?$/;

/**
 * Waits up to 1 s until this server has the revision that another server's notification named. A client that evaluates too early
 * would get old results, and no further notification.
 */
export function makeWaitForRevision(
  state: ServingState,
): (scope: Scope, notifiedPosition: unknown) => Promise<void> {
  let waiting = 0;
  return async (scope, notifiedPosition) => {
    const [, prefix, revision] = POSITION.exec(String(notifiedPosition ?? '')) ?? [];
    const isBehind = () => scope.revision < Number(revision);
    if (prefix !== `${scope.current.epoch}.${scope.id}` || !isBehind() || waiting >= MAX_WAITING_REQUESTS)
      return;
    waiting++;
    await new Promise<void>(resolve => {
      const finish = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(finish, MAX_WAIT_MS);
      const stop = state.onChange(() => {
        if (!isBehind()) finish();
      });
    });
    waiting--;
  };
}
