import { createRequire } from 'node:module';
import type { Context } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { startSdk, TRANSPORTS, type Transport } from '../../test/sdk-client.ts';
import { makeEnvironment, putDocuments, type SdkDocument } from '../../test/sdk-documents.ts';
import { useSdkServer } from '../../test/sdk-server.ts';

type Segment = { id: number };
type Event = {
  type: string;
  features?: SdkDocument[];
  segments?: Segment[];
  feature?: SdkDocument;
  featureName?: string;
  segment?: Segment;
  segmentId?: number;
};
type Case = { description: string; context: Context; toggleName: string; expectedResult: unknown };
type Specification = {
  name: string;
  state: { features?: SdkDocument[]; segments?: Segment[]; events?: Event[] };
  tests?: Case[];
  variantTests?: Case[];
};

const load = createRequire(import.meta.url);
const PACKAGE = '@unleash/client-specification/specifications';
const specifications = (load(`${PACKAGE}/index.json`) as string[]).map(
  file => load(`${PACKAGE}/${file}`) as Specification,
);

const harness = useHarness();
const server = useSdkServer(harness);
const tokens = new Map<string, string>();

beforeAll(async () => {
  for (const { name, state } of specifications) {
    await makeEnvironment(harness.db, name);
    await putDocuments(harness.db, name, stateOf(state));
    tokens.set(name, await server.token(name));
  }
});

/** The features and segments after all events. */
function stateOf({ features = [], segments = [], events = [] }: Specification['state']) {
  const byName = new Map(features.map(feature => [feature.name, feature]));
  const byId = new Map(segments.map(segment => [segment.id, segment]));
  for (const event of events) {
    for (const feature of [...(event.features ?? []), event.feature ?? []].flat())
      byName.set(feature.name, feature);
    for (const segment of [...(event.segments ?? []), event.segment ?? []].flat())
      byId.set(segment.id, segment);
    if (event.type === 'feature-removed') byName.delete(event.featureName ?? '');
    if (event.type === 'segment-removed') byId.delete(event.segmentId ?? 0);
  }
  return { features: [...byName.values()], segments: [...byId.values()] };
}

let cases = 0;
afterAll(() => {
  expect(cases).toBe(279 * Object.keys(TRANSPORTS).length);
});

describe.each(Object.keys(TRANSPORTS) as Transport[])('by %s', transport => {
  test.each(specifications.map(one => [one.name, one] as const))(
    '%s',
    async (name, { tests, variantTests }) => {
      const sdk = await startSdk(server.url, tokens.get(name) ?? '', transport);

      const enabled = (tests ?? []).map(one => [one, sdk.isEnabled(one.toggleName, one.context)] as const);
      const variants = (variantTests ?? []).map(one => {
        const {
          feature_enabled,
          name: variant,
          enabled: on,
          payload,
        } = sdk.getVariant(one.toggleName, one.context);
        return [
          one,
          { feature_enabled, name: variant, enabled: on, ...(payload ? { payload } : {}) },
        ] as const;
      });
      sdk.destroy();

      const wrong = [...enabled, ...variants].filter(
        ([one, result]) => JSON.stringify(sorted(one.expectedResult)) !== JSON.stringify(sorted(result)),
      );
      expect(wrong).toEqual([]);
      cases += enabled.length + variants.length;
    },
  );
});

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, part]) => [key, sorted(part)])
        .toSorted()
    : value;
