import type { Feature } from './queries.ts';

/** Why a parent blocks the flag in an environment, for everyone or for the users who get the parent. */
export type Block = { parent: string; reason: string };

type Parent = Pick<Feature, 'name' | 'environments'>;

/** Finds the parents that block the flag in an environment. A parent that is not loaded yet blocks nothing. */
export const findBlocks = (
  dependencies: Feature['dependencies'],
  parents: readonly Parent[],
  environment: string,
): Block[] =>
  dependencies.flatMap(({ feature, enabled }) => {
    const parent = parents.find(({ name }) => name === feature);
    if (!parent) return [];
    const isEnabled = parent.environments.find(({ name }) => name === environment)?.enabled ?? false;
    if (enabled && !isEnabled)
      return [{ parent: feature, reason: 'is disabled here. Nobody gets this flag until it is enabled.' }];
    if (!enabled && isEnabled)
      return [{ parent: feature, reason: 'is enabled here. Users who get it do not get this flag.' }];
    return [];
  });
