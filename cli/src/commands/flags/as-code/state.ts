import type { schemas } from '../../../api/api.gen.ts';
import type { Context } from '../../../context.ts';
import { getData } from '../../../requests.ts';

export type Strategy = {
  name: string;
  title?: string;
  disabled?: boolean;
  parameters?: Record<string, string>;
  constraints?: unknown[];
  /** The names of the segments, because ids differ between servers. */
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

/** The state of a flag in a file. Whatever the file omits stays unchanged on the server. */
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
  (await getData(read.GET('/api/admin/segments'))).segments;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Drops empty fields. */
const dropEmptyFields = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => !isEmpty(field))) as T;

/** Drops empty fields and sorts the keys, so that equal values have equal JSON. */
const normalize = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(dropEmptyFields(value)).toSorted(([a], [b]) => (a < b ? -1 : 1))) as T;

/** Drops the parameters that the server fills in. */
export function normalizeStrategy(strategy: Strategy, flag: string): Strategy {
  // YAML reads 50 as a number, but the server stores strings.
  const stringEntries = Object.entries(strategy.parameters ?? {}).map(([name, value]) => [
    name,
    String(value),
  ]);
  const { stickiness, groupId, ...otherParameters } = Object.fromEntries(stringEntries) as Record<
    string,
    string
  >;
  const parameters = normalize({
    ...otherParameters,
    ...(stickiness !== undefined && stickiness !== 'default' && { stickiness }),
    ...(groupId !== undefined && groupId !== flag && { groupId }),
  });
  const { name, title, disabled } = strategy;
  return dropEmptyFields({
    name,
    title,
    disabled,
    parameters,
    constraints: (strategy.constraints ?? []).map(constraint => normalize(constraint as object)),
    segments: (strategy.segments ?? []).toSorted(),
    // Drops the stickiness, because the server gives variants the strategy's stickiness.
    variants: (strategy.variants ?? []).map(variant =>
      normalizeVariant({ ...variant, stickiness: 'default' }),
    ),
  }) as Strategy;
}

/** Drops defaults, and the weight unless it is fixed, because the server computes variable weights. */
export function normalizeVariant(variant: Variant): Variant {
  const { name, weight, weightType, stickiness, payload, overrides } = variant;
  return dropEmptyFields({
    name,
    ...(weightType === 'fix' && { weightType, weight: weight ?? 0 }),
    ...(stickiness !== 'default' && { stickiness }),
    payload,
    overrides,
  }) as Variant;
}

/** Adds the fields that the server requires to a variant. */
export const completeVariant = (variant: Variant): object => ({
  weight: 0,
  weightType: 'variable',
  stickiness: 'default',
  ...variant,
});

/** Converts the server's flag to the state that a file would contain. */
export function toFlagState(feature: schemas['Feature'], segments: Segments): Required<FlagState> {
  const getSegmentName = (id: number) => segments.find(segment => segment.id === id)?.name ?? String(id);
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
          strategies: strategies.map(strategy => {
            const parameters = strategy.parameters as Record<string, string>;
            return normalizeStrategy(
              { ...strategy, parameters, segments: strategy.segments.map(getSegmentName) },
              feature.name,
            );
          }),
          variants: variants.map(normalizeVariant),
        },
      ]),
    ),
  };
}

export async function readProject(context: Context, project: string): Promise<schemas['Feature'][]> {
  const params = { path: { projectId: project } };
  return (await getData(context.read.GET('/api/admin/projects/{projectId}/features', { params }))).features;
}
