import type { schemas } from '../../../api/api.gen.ts';
import type { Context } from '../../../context.ts';
import { data } from '../../../requests.ts';

export type Strategy = {
  name: string;
  title?: string;
  disabled?: boolean;
  parameters?: Record<string, string>;
  constraints?: unknown[];
  /** Names rather than ids, because ids differ between servers. */
  segments?: string[];
  variants?: Variant[];
};

export type Variant = {
  name: string;
  weight?: number;
  weightType?: string;
  stickiness?: string;
  payload?: unknown;
  overrides?: unknown[];
};

export type EnvironmentState = { enabled?: boolean; strategies?: Strategy[]; variants?: Variant[] };

/** A flag as a file describes it. Whatever the file omits stays unchanged on the server. */
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

/** Drops empty fields. */
const compact = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => !isEmpty(one))) as T;

/** The same value with sorted keys, so that equal values have equal JSON. */
const tidy = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(compact(value)).toSorted(([a], [b]) => (a < b ? -1 : 1))) as T;

/** Drops the parameters that the server fills in. */
export function tidyStrategy(strategy: Strategy, flag: string): Strategy {
  // YAML reads 50 as a number, and the server stores strings.
  const given = Object.entries(strategy.parameters ?? {}).map(([name, value]) => [name, String(value)]);
  const { stickiness, groupId, ...rest } = Object.fromEntries(given) as Record<string, string>;
  const parameters = tidy({
    ...rest,
    ...(stickiness !== undefined && stickiness !== 'default' && { stickiness }),
    ...(groupId !== undefined && groupId !== flag && { groupId }),
  });
  const { name, title, disabled } = strategy;
  return compact({
    name,
    title,
    disabled,
    parameters,
    constraints: (strategy.constraints ?? []).map(one => tidy(one as object)),
    segments: (strategy.segments ?? []).toSorted(),
    // The server gives them the stickiness of the strategy.
    variants: (strategy.variants ?? []).map(one => tidyVariant({ ...one, stickiness: 'default' })),
  }) as Strategy;
}

/** Drops defaults, and the weight unless it is fixed, because the server computes it. */
export function tidyVariant(variant: Variant): Variant {
  const { name, weight, weightType, stickiness, payload, overrides } = variant;
  return compact({
    name,
    ...(weightType === 'fix' && { weightType, weight: weight ?? 0 }),
    ...(stickiness !== 'default' && { stickiness }),
    payload,
    overrides,
  }) as Variant;
}

/** The variant with every field that the server requires. */
export const wholeVariant = (variant: Variant): object => ({
  weight: 0,
  weightType: 'variable',
  stickiness: 'default',
  ...variant,
});

/** The server's flag as a file would describe it. */
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
          variants: variants.map(tidyVariant),
        },
      ]),
    ),
  };
}

export async function readProject(context: Context, project: string): Promise<schemas['Feature'][]> {
  const params = { path: { projectId: project } };
  return (await data(context.read.GET('/api/admin/projects/{projectId}/features', { params }))).features;
}
