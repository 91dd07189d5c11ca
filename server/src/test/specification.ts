import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type { Context, Unleash } from 'unleash-client';

type Variant = {
  name: string;
  weight: number;
  payload?: object;
  stickiness?: string;
  overrides?: object[];
};
type Constraint = { operator: string; values?: string[]; [field: string]: unknown };
type Strategy = {
  name: string;
  parameters?: Record<string, string>;
  constraints?: Constraint[];
  segments?: number[];
  variants?: Variant[];
};
type Dependency = { feature: string; enabled?: boolean; variants?: string[] };
export type SpecifiedFeature = {
  name: string;
  enabled: boolean;
  strategies: Strategy[];
  variants?: Variant[];
  dependencies?: Dependency[];
};
type Segment = { id: number; constraints: Constraint[] };
type Event = {
  type: string;
  features?: SpecifiedFeature[];
  segments?: Segment[];
  feature?: SpecifiedFeature;
  featureName?: string;
  segment?: Segment;
  segmentId?: number;
};
type State = { features?: SpecifiedFeature[]; segments?: Segment[]; events?: Event[] };

/** The result that an SDK must have for a context. */
export type SpecifiedCase = {
  description: string;
  context: Context;
  toggleName: string;
  expectedResult: unknown;
};
export type Specification = {
  name: string;
  state: State;
  tests?: SpecifiedCase[];
  variantTests?: SpecifiedCase[];
};

const load = createRequire(import.meta.url);
const FOLDER = '@unleash/client-specification/specifications';

/** Unleash's client specification: 22 files with the flags that an SDK gets and the results that it must return. */
export const SPECIFICATIONS = (load(`${FOLDER}/index.json`) as string[]).map(
  file => load(`${FOLDER}/${file}`) as Specification,
);

/** All cases of a file. */
export const casesOf = ({ tests = [], variantTests = [] }: Specification): SpecifiedCase[] => [
  ...tests,
  ...variantTests,
];

/**
 * One case of each file, and the named ones, for a second path to the same evaluation. CAMPAIGN=long takes all cases (`npm run
 * campaign:model`).
 */
export const sampleOf = (specification: Specification, named: string[] = []): SpecifiedCase[] =>
  casesOf(specification).filter(
    ({ description }, at) => at === 0 || named.includes(description) || process.env.CAMPAIGN === 'long',
  );

/** The features and segments of a file, after its events. */
export function stateOf({ state }: Specification): { features: SpecifiedFeature[]; segments: Segment[] } {
  const features = new Map((state.features ?? []).map(feature => [feature.name, feature]));
  const segments = new Map((state.segments ?? []).map(segment => [segment.id, segment]));
  for (const event of state.events ?? []) {
    for (const feature of [...(event.features ?? []), event.feature ?? []].flat())
      features.set(feature.name, feature);
    for (const segment of [...(event.segments ?? []), event.segment ?? []].flat())
      segments.set(segment.id, segment);
    if (event.type === 'feature-removed') features.delete(event.featureName ?? '');
    if (event.type === 'segment-removed') segments.delete(event.segmentId ?? 0);
  }
  return { features: [...features.values()], segments: [...segments.values()] };
}

/** The results of an SDK for all cases of a file. */
export function evaluate(
  sdk: Unleash,
  { tests = [], variantTests = [] }: Specification,
): { specified: SpecifiedCase; result: unknown; asSpecified: boolean }[] {
  const results = [
    ...tests.map(one => [one, sdk.isEnabled(one.toggleName, one.context)] as const),
    ...variantTests.map(one => {
      const { name, enabled, payload, feature_enabled } = sdk.getVariant(one.toggleName, one.context);
      return [one, { name, enabled, feature_enabled, ...(payload ? { payload } : {}) }] as const;
    }),
  ];
  return results.map(([specified, result]) => ({
    specified,
    result,
    asSpecified: isDeepStrictEqual(specified.expectedResult, result),
  }));
}
