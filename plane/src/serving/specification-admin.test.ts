import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useHarness } from '../../../server/src/test/harness.ts';
import { loadSpecification } from '../../../server/src/test/load-specification.ts';
import { call } from '../../../server/src/test/request.ts';
import { startSdk } from '../../../server/src/test/sdk-client.ts';
import { useSdkServer } from '../../../server/src/test/sdk-server.ts';
import { evaluate, listCases, SPECIFICATIONS } from '../../../server/src/test/specification.ts';
import { DeltaBody, findStrictViolations, PollBody } from '../../../server/src/test/strict-sdk-shapes.ts';

const WEIGHTS = 'Weights add up to 1,000';
const NAMES = 'must contain only letters, digits';

/**
 * For each rule, the number of cases per feature that fail through the admin API. Scaled weights are accepted, but
 * SDKs take the hash of a user modulo the total weight, so the users in these cases get a different variant.
 */
const EXCEPTIONS: Record<string, Record<string, number>> = {
  [WEIGHTS]: {
    'Feature.Variants.C': 3,
    'Feature.Variants.D': 1,
    'Feature.Variants.override.D': 1,
    'Feature.flexible.rollout.custom.stickiness_100': 2,
    'Feature.strategy.variants.stickiness': 1,
  },
  'must have at least one item for operator IN': {
    'Feature.constraints.empty': 1,
    'Feature.constraints.no_values': 2,
  },
  'operator must be one of': { 'F7.invalid-operator': 1 },
  'must be a semantic version': { 'F8.invalidSemverWithLeadingV': 2 },
  'must be an IP address or a range': { 'CIDR.invalid.only': 1 },
  'is not a valid pattern in RE2 syntax': {
    'invalid-regex-defaults-to-false': 1,
    'R90.reject_lookahead': 1,
    'R91.reject_backreference': 1,
  },
  'segment 2147483647 does not exist': { 'F9.withMissingSegment': 1 },
  'feature "parent.not.exist" does not exist': { 'parents.not.exist.child.enabled': 2 },
  'a feature that depends on another cannot be a parent': { 'child.with.transitive.dependency': 2 },
  [NAMES]: {
    'Feature.UTF-8.Hellø_Wørld': 1,
    'Feature.UTF-8.😊_φriend_你好_🌍': 1,
  },
};

const harness = useHarness();
const server = useSdkServer(harness);
/** The features whose cases failed. */
const failedFeatures = new Set<string>();

/** The rule that an exceptional feature violates, and the number of its cases. */
const findException = (feature: string): { rule: string; cases: number } | undefined =>
  Object.entries(EXCEPTIONS).flatMap(([rule, features]) =>
    features[feature] === undefined ? [] : [{ rule, cases: features[feature] }],
  )[0];

test.each(SPECIFICATIONS)('evaluates $name, except for what the admin API rejects', async specification => {
  const rejections = await loadSpecification(harness.app, specification);
  const token = await server.token(specification.name);
  const sdk = await startSdk(server.url, token, 'polling');
  const results = evaluate(sdk, specification);
  sdk.destroy();
  await expectStrictShapes(token);

  expect(results).not.toEqual([]);
  const failedCases = Map.groupBy(
    results.filter(({ specified, asSpecified }) => !asSpecified || rejections.has(specified.toggleName)),
    ({ specified }) => specified.toggleName,
  );
  for (const [feature, cases] of failedCases) {
    const rejection = rejections.get(feature);
    expect({ feature, cases: cases.length }).toEqual({ feature, cases: findException(feature)?.cases });
    expect(rejection ?? WEIGHTS, feature).toContain(findException(feature)?.rule);
    // A rejected feature is disabled, and shares only its name with the specification.
    if (rejection !== undefined)
      expect({ feature, asSpecified: cases.every(result => result.asSpecified) }).toEqual({
        feature,
        asSpecified: findException(feature)?.rule !== NAMES,
      });
  }
  for (const feature of failedCases.keys()) failedFeatures.add(feature);
});

/** Polls with separate and with inline segments, and requests everything as a delta. */
async function expectStrictShapes(token: string): Promise<void> {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const { status, body } = await call(harness.app, 'GET', `/api/client/${path}`, { token, headers });
    expect(status).toBe(200);
    return body;
  };
  const separate = await read('features', { 'unleash-client-spec': '5.2.0' });
  expect(separate.features).not.toEqual([]);
  expect(findStrictViolations(PollBody, separate)).toEqual([]);
  expect(findStrictViolations(PollBody, await read('features'))).toEqual([]);
  expect(findStrictViolations(DeltaBody, await read('delta'))).toEqual([]);
}

test('254 of 279 cases pass, and compatibility.md lists the others', () => {
  const counts: Record<string, number> = Object.assign({}, ...Object.values(EXCEPTIONS));
  const exceptions = Object.values(counts).reduce((sum, cases) => sum + cases, 0);

  expect([SPECIFICATIONS.flatMap(listCases).length - exceptions, exceptions]).toEqual([254, 25]);
  expect([...failedFeatures].toSorted()).toEqual(Object.keys(counts).toSorted());
  expect(Object.fromEntries(listedOnPage())).toEqual(counts);
});

/** Features with the number of their cases. */
function* listedOnPage(): Generator<[string, number]> {
  const page = readFileSync(new URL('../../../docs/reference/compatibility.md', import.meta.url), 'utf8');
  const section = page.split('## Client specification')[1]?.split('\n## ')[0] ?? '';
  for (const [, name = '', count] of section.matchAll(/`([^`]+)` \((\d+)\)/g)) yield [name, Number(count)];
}
