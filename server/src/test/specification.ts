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

/** The result that an SDK must return for a context. */
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

/** Unleash's client specification: 22 files with the flags that an SDK receives and the results that it must return. */
export const SPECIFICATIONS = (load(`${FOLDER}/index.json`) as string[]).map(
  file => load(`${FOLDER}/${file}`) as Specification,
);

/** Returns all cases in a file. */
export const listCases = ({ tests = [], variantTests = [] }: Specification): SpecifiedCase[] => [
  ...tests,
  ...variantTests,
];

/**
 * Returns the first case in a file and the named cases, for tests that reach the same evaluation in a different way.
 * CAMPAIGN=long returns all cases (`npm run campaign:model`).
 */
export const sampleCases = (specification: Specification, descriptions: string[] = []): SpecifiedCase[] =>
  listCases(specification).filter(
    ({ description }, index) =>
      index === 0 || descriptions.includes(description) || process.env.CAMPAIGN === 'long',
  );

/** Returns the features and segments in a file, with its events applied. */
export function buildState({ state }: Specification): { features: SpecifiedFeature[]; segments: Segment[] } {
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

/** Returns an SDK's results for all cases in a file. */
export function evaluate(
  sdk: Unleash,
  { tests = [], variantTests = [] }: Specification,
): { specified: SpecifiedCase; result: unknown; asSpecified: boolean }[] {
  const results = [
    ...tests.map(test => [test, sdk.isEnabled(test.toggleName, test.context)] as const),
    ...variantTests.map(variantTest => {
      const { name, enabled, payload, feature_enabled } = sdk.getVariant(
        variantTest.toggleName,
        variantTest.context,
      );
      return [variantTest, { name, enabled, feature_enabled, ...(payload ? { payload } : {}) }] as const;
    }),
  ];
  return results.map(([specified, result]) => ({
    specified,
    result,
    asSpecified: isDeepStrictEqual(specified.expectedResult, result),
  }));
}
