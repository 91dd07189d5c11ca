import type { QueryClient } from '@tanstack/react-query';
import { RequestError } from '../api/errors.ts';
import { keys } from '../api/keys.ts';
import { computeChanges } from '../ui/diff.ts';
import { getStrategyContent, type Side } from './copy-effect.ts';
import {
  copyEnvironment,
  type FlagInEnvironment,
  readEnvironment,
  replaceStrategies,
  replaceVariants,
  setEnabled,
} from './queries.ts';

/** Returns the state of an environment without strategy ids, because a restored strategy gets a new id. */
const getState = ({ enabled, strategies, variants }: Omit<Side, 'name'>) => ({
  enabled,
  strategies: strategies.map(getStrategyContent),
  variants,
});
const isSame = (a: Omit<Side, 'name'>, b: Omit<Side, 'name'>): boolean =>
  computeChanges(getState(a), getState(b)).length === 0;

/** Throws an error with the message if somebody else changed the environment first. Otherwise, rethrows the original error. */
const rethrowConflict =
  (message: string) =>
  (error: unknown): never => {
    throw error instanceof RequestError && error.status === 412 ? new Error(message) : error;
  };

/**
 * Copies one environment to another, unless the target has changed since the page showed it. Returns a function that undoes the copy, or
 * undefined if somebody changed the target right after the copy.
 */
export async function copyWithUndo(
  client: QueryClient,
  path: FlagInEnvironment,
  source: Side,
  target: Side,
): Promise<(() => Promise<void>) | undefined> {
  const conflictMessage = `Somebody changed ${path.featureName} in ${target.name} in the meantime, so nothing was copied. Compare again.`;
  const targetBefore = await readEnvironment(path);
  if (!isSame(targetBefore.environment, target)) {
    await client.invalidateQueries({ queryKey: keys.feature(path) });
    throw new Error(conflictMessage);
  }
  const copiedTarget = await copyEnvironment(path, source.name, targetBefore.etag).catch(
    rethrowConflict(conflictMessage),
  );
  const targetAfter = await readEnvironment(path);
  if (!copiedTarget || !isSame(copiedTarget, targetAfter.environment)) return undefined;
  return () => restore(client, path, targetBefore.environment, targetAfter);
}

/**
 * Restores the strategies, the variants and whether the flag is enabled. Stops if somebody else changes the environment between
 * two of its requests.
 */
async function restore(
  client: QueryClient,
  path: FlagInEnvironment,
  stateBefore: Side,
  stateAfter: { environment: Side; etag: string },
): Promise<void> {
  let { environment: expectedState, etag } = stateAfter;
  let isPartial = false;
  const conflictMessage = () =>
    `Somebody changed ${path.featureName} in ${stateBefore.name} after the copy, so the copy was ${isPartial ? 'only partly' : 'not'} undone.`;
  const step = async (change: Partial<Side>, send: () => Promise<void>): Promise<void> => {
    await send().catch(error => rethrowConflict(conflictMessage())(error));
    isPartial = true;
    expectedState = { ...expectedState, ...change };
    const current = await readEnvironment(path);
    if (!isSame(current.environment, expectedState)) throw new Error(conflictMessage());
    etag = current.etag;
  };
  const { strategies, variants, enabled } = stateBefore;
  try {
    await step({ strategies }, () => replaceStrategies(path, strategies.map(getStrategyContent), etag));
    if (computeChanges(variants, expectedState.variants).length > 0)
      await step({ variants }, () => replaceVariants(path, variants, etag));
    if (enabled && !expectedState.enabled)
      await setEnabled(client, path, true, { etag }).catch(error =>
        rethrowConflict(conflictMessage())(error),
      );
  } finally {
    await client.invalidateQueries({ queryKey: keys.feature(path) });
  }
}
