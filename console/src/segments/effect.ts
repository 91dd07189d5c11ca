import type { Schemas } from '../api/client.ts';
import type { StrategyUse } from './queries.ts';

type Flag = Pick<Schemas['FoundFeature'], 'name' | 'environments'>;
type Environment = Pick<Schemas['Environment'], 'name' | 'type'>;

/** What uses a segment in an environment. */
export type EnvironmentEffect = {
  environment: string;
  type: string;
  /** The flags that reach different users when the constraints change. */
  affected: { name: string; project: string }[];
  /** The flags that use the segment and are disabled here: nothing changes until somebody enables them. */
  disabled: string[];
};

/** The effect of different constraints, in the order of the environments. Environments in which no strategy uses the segment have none. */
export function effectOf(
  uses: readonly StrategyUse[],
  environments: readonly Environment[],
  flags: readonly Flag[] | undefined,
): EnvironmentEffect[] {
  const known = new Map(flags?.map(flag => [flag.name, flag]));
  return environments.flatMap(({ name: environment, type }) => {
    const here = new Map(
      uses
        .filter(use => use.environment === environment)
        .map(({ featureName, projectId }) => [featureName, { name: featureName, project: projectId }]),
    );
    if (here.size === 0) return [];
    const isDisabled = ({ name }: { name: string }) =>
      known.get(name)?.environments.find(one => one.name === environment)?.enabled === false;
    const all = [...here.values()];
    const disabled = all.filter(isDisabled).map(({ name }) => name);
    return [{ environment, type, affected: all.filter(flag => !isDisabled(flag)), disabled }];
  });
}

/** The flags in production that reach different users. */
export const inProduction = (effects: readonly EnvironmentEffect[]): number =>
  new Set(
    effects
      .filter(({ type }) => type === 'production')
      .flatMap(({ affected }) => affected.map(({ name }) => name)),
  ).size;
