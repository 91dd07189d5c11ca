import type { QueryClient } from '@tanstack/react-query';
import { contentOf, copyEffect, type Side } from './copy-effect.ts';
import {
  copyEnvironment,
  type EnvironmentPlace,
  readStrategiesEtag,
  refresh,
  replaceStrategies,
  replaceVariants,
  setEnabled,
} from './queries.ts';

/** Copies one environment to another. The result restores the target, unless somebody changed it meanwhile. */
export async function copyWithUndo(
  client: QueryClient,
  place: EnvironmentPlace,
  from: Side,
  to: Side,
): Promise<() => Promise<void>> {
  const disables = copyEffect(from, to)?.disables ?? false;
  await copyEnvironment(place, from.name);
  const etag = await readStrategiesEtag(place);
  await refresh(client, place);
  return async () => {
    await replaceStrategies(place, to.strategies.map(contentOf), etag);
    if (JSON.stringify(from.variants) !== JSON.stringify(to.variants))
      await replaceVariants(place, to.variants);
    if (disables) await setEnabled(client, place, true);
    await refresh(client, place);
  };
}
