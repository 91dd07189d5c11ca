import type { schemas } from '../../../api/api.gen.ts';
import type { Context } from '../../../context.ts';
import { data } from '../../../requests.ts';

export type Strategy = {
  name: string;
  title?: string;
  disabled?: boolean;
  parameters?: Record<string, string>;
  constraints?: unknown[];
  /** Names: ids differ between servers. */
  segments?: string[];
  variants?: unknown[];
};

export type EnvironmentState = { enabled?: boolean; strategies?: Strategy[]; variants?: unknown[] };

/** A flag as a file describes it. What a file leaves out stays as it is on the server. */
export type FlagState = {
  type?: string;
  description?: string;
  stale?: boolean;
  impressionData?: boolean;
  tags?: string[];
  environments?: Record<string, EnvironmentState>;
};

export type Segments = { id: number; name: string }[];

export const readSegments = async ({ read }: Context): Promise<Segments> =>
  (await data(read.GET('/api/admin/segments'))).segments;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Without what is empty, and with keys in one order, so that equal things are equal texts. */
function tidy<T extends object>(value: T): T {
  const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) as T;
}

/** Without the parameters that the server fills in. */
export function tidyStrategy(strategy: Strategy, flag: string): Strategy {
  const { stickiness, groupId, ...rest } = strategy.parameters ?? {};
  const parameters = tidy({
    ...rest,
    ...(stickiness !== undefined && stickiness !== 'default' && { stickiness }),
    ...(groupId !== undefined && groupId !== flag && { groupId }),
  });
  const constraints = (strategy.constraints ?? []).map(one => tidy(one as object));
  const { name, title, disabled, segments, variants } = strategy;
  return tidy({
    name,
    title,
    disabled,
    segments: segments?.toSorted(),
    variants,
    parameters,
    constraints,
  }) as Strategy;
}

/** A flag of the server as a file would describe it. */
export function stateOf(feature: schemas['Feature'], segments: Segments): Required<FlagState> {
  const nameOf = (id: number) => segments.find(one => one.id === id)?.name ?? String(id);
  return {
    type: feature.type,
    description: feature.description ?? '',
    stale: feature.stale,
    impressionData: feature.impressionData,
    tags: feature.tags.map(({ type, value }) => `${type}:${value}`).toSorted(),
    environments: Object.fromEntries(
      feature.environments.map(({ name, enabled, strategies, variants }) => [
        name,
        {
          enabled,
          strategies: strategies.map(one => {
            const parameters = one.parameters as Record<string, string>;
            return tidyStrategy({ ...one, parameters, segments: one.segments.map(nameOf) }, feature.name);
          }),
          variants,
        },
      ]),
    ),
  };
}

export async function readProject(context: Context, project: string): Promise<schemas['Feature'][]> {
  const params = { path: { projectId: project } };
  return (await data(context.read.GET('/api/admin/projects/{projectId}/features', { params }))).features;
}
