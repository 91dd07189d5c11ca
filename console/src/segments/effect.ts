import type { Schemas } from '../api/client.ts';
import type { StrategyUse } from './queries.ts';

type Flag = Pick<Schemas['FoundFeature'], 'name' | 'environments'>;
type Environment = Pick<Schemas['Environment'], 'name' | 'type'>;

/** How a change to a segment affects an environment. */
export type EnvironmentEffect = {
  environment: string;
  type: string;
  /** The flags that reach different users when the constraints change. */
  affected: { name: string; project: string }[];
  /** The flags that use the segment but are disabled here, so nothing changes until somebody enables them. */
  disabled: string[];
};

/**
 * Returns how changed constraints affect each environment, in the order of the environments. Omits environments where no strategy
 * uses the segment.
 */
export function computeEffects(
  uses: readonly StrategyUse[],
  environments: readonly Environment[],
  flags: readonly Flag[] | undefined,
): EnvironmentEffect[] {
  const flagsByName = new Map(flags?.map(flag => [flag.name, flag]));
  return environments.flatMap(({ name: environment, type }) => {
    const usingFlags = new Map(
      uses
        .filter(use => use.environment === environment)
        .map(({ featureName, projectId }) => [featureName, { name: featureName, project: projectId }]),
    );
    if (usingFlags.size === 0) return [];
    const isDisabled = ({ name }: { name: string }) =>
      flagsByName.get(name)?.environments.find(flagEnvironment => flagEnvironment.name === environment)
        ?.enabled === false;
    const allFlags = [...usingFlags.values()];
    const disabledNames = allFlags.filter(isDisabled).map(({ name }) => name);
    return [
      { environment, type, affected: allFlags.filter(flag => !isDisabled(flag)), disabled: disabledNames },
    ];
  });
}

/** Counts the flags in production that reach different users. */
export const countProductionFlags = (effects: readonly EnvironmentEffect[]): number =>
  new Set(
    effects
      .filter(({ type }) => type === 'production')
      .flatMap(({ affected }) => affected.map(({ name }) => name)),
  ).size;
