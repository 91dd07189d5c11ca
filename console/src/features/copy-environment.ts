import type { QueryClient } from '@tanstack/react-query';
import { RequestError } from '../api/errors.ts';
import { keys } from '../api/keys.ts';
import { changesOf } from '../ui/diff.ts';
import { contentOf, type Side } from './copy-effect.ts';
import {
  copyEnvironment,
  type EnvironmentPlace,
  readEnvironment,
  replaceStrategies,
  replaceVariants,
  setEnabled,
} from './queries.ts';

/** Without ids: a strategy that is restored gets a new one. */
const stateOf = ({ enabled, strategies, variants }: Omit<Side, 'name'>) => ({
  enabled,
  strategies: strategies.map(contentOf),
  variants,
});
const isSame = (one: Omit<Side, 'name'>, other: Omit<Side, 'name'>): boolean =>
  changesOf(stateOf(one), stateOf(other)).length === 0;

/** The error of a request that came after somebody else's change. */
const orOvertaken =
  (message: string) =>
  (error: unknown): never => {
    throw error instanceof RequestError && error.status === 412 ? new Error(message) : error;
  };

/**
 * Copies one environment to another, unless the target is no longer what the page shows. The result restores the target. It is
 * undefined if somebody changed the target right after the copy.
 */
export async function copyWithUndo(
  client: QueryClient,
  place: EnvironmentPlace,
  from: Side,
  to: Side,
): Promise<(() => Promise<void>) | undefined> {
  const overtaken = `Somebody changed ${place.featureName} in ${to.name} meanwhile, so nothing was copied. Compare again.`;
  const before = await readEnvironment(place);
  if (!isSame(before.environment, to)) {
    await client.invalidateQueries({ queryKey: keys.feature(place) });
    throw new Error(overtaken);
  }
  const copied = await copyEnvironment(place, from.name, before.etag).catch(orOvertaken(overtaken));
  const after = await readEnvironment(place);
  if (!copied || !isSame(copied, after.environment)) return undefined;
  return () => restore(client, place, before.environment, after);
}

/**
 * Restores the strategies, the variants and whether the flag is enabled. Each of the requests is sent only if the environment is still
 * what the request before it left.
 */
async function restore(
  client: QueryClient,
  place: EnvironmentPlace,
  before: Side,
  after: { environment: Side; etag: string },
): Promise<void> {
  let { environment: expected, etag } = after;
  let isPartial = false;
  const overtaken = () =>
    `Somebody changed ${place.featureName} in ${before.name} after the copy. ${isPartial ? 'It was only partly undone.' : 'It was not undone.'}`;
  const step = async (change: Partial<Side>, send: () => Promise<void>): Promise<void> => {
    await send().catch(error => orOvertaken(overtaken())(error));
    isPartial = true;
    expected = { ...expected, ...change };
    const now = await readEnvironment(place);
    if (!isSame(now.environment, expected)) throw new Error(overtaken());
    etag = now.etag;
  };
  const { strategies, variants, enabled } = before;
  try {
    await step({ strategies }, () => replaceStrategies(place, strategies.map(contentOf), etag));
    if (changesOf(variants, expected.variants).length > 0)
      await step({ variants }, () => replaceVariants(place, variants, etag));
    if (enabled && !expected.enabled)
      await setEnabled(client, place, true, { etag }).catch(error => orOvertaken(overtaken())(error));
  } finally {
    await client.invalidateQueries({ queryKey: keys.feature(place) });
  }
}
