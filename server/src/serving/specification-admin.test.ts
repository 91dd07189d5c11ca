import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { useHarness } from '../test/harness.ts';
import { loadSpecification, type Rejected } from '../test/load-specification.ts';
import { startSdk } from '../test/sdk-client.ts';
import { useSdkServer } from '../test/sdk-server.ts';
import { evaluate, SPECIFICATIONS } from '../test/specification.ts';

const WEIGHTS = 'Weights add up to 1,000';
const NAMES = 'must contain only letters, digits';

/**
 * The cases that fail through the admin API, by the rule: the number of cases for each feature. Scaled weights are accepted, but
 * SDKs take the hash of a user modulo the total weight, so the users of these cases get another variant.
 */
const EXCEPTIONS: Record<string, Record<string, number>> = {
  [WEIGHTS]: {
    'Feature.Variants.C': 3,
    'Feature.Variants.D': 1,
    'Feature.Variants.override.D': 1,
    'Feature.flexible.rollout.custom.stickiness_100': 2,
    'Feature.strategy.variants.stickiness': 1,
  },
  'must have at least one item with IN': {
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
const loaded = new Map<string, Rejected>();
const results: { feature: string; passed: boolean; rejection: string | undefined; asSpecified: boolean }[] =
  [];

beforeAll(async () => {
  for (const one of SPECIFICATIONS) loaded.set(one.name, await loadSpecification(harness.app, one));
});

test.each(SPECIFICATIONS)('evaluates $name', async specification => {
  const sdk = await startSdk(server.url, await server.token(specification.name), 'polling');
  const rejected = loaded.get(specification.name);

  for (const { specified, asSpecified } of evaluate(sdk, specification)) {
    const feature = specified.toggleName;
    const rejection = rejected?.get(feature);
    results.push({ feature, passed: asSpecified && rejection === undefined, rejection, asSpecified });
  }
  sdk.destroy();
});

test('254 of 279 cases pass, and the page lists the others with the rule for each', () => {
  const failed = Map.groupBy(
    results.filter(({ passed }) => !passed),
    ({ feature }) => feature,
  );
  const counts = Object.fromEntries([...failed].map(([feature, cases]) => [feature, cases.length]));

  expect(results).toHaveLength(279);
  expect(results.filter(({ passed }) => passed)).toHaveLength(254);
  expect(counts).toEqual(Object.assign({}, ...Object.values(EXCEPTIONS)));
  for (const [rule, features] of Object.entries(EXCEPTIONS)) {
    for (const name of Object.keys(features))
      expect(failed.get(name)?.[0]?.rejection ?? WEIGHTS, name).toContain(rule);
  }
  expect(Object.fromEntries(listedOnPage())).toEqual(counts);
});

test('a rejected feature is disabled, as the specification says, except for its name', () => {
  const wrong = results.filter(({ rejection, asSpecified }) => rejection !== undefined && !asSpecified);

  expect(wrong.map(({ feature }) => feature)).toEqual(Object.keys(EXCEPTIONS[NAMES] ?? {}));
});

/** Features with the number of their cases. */
function* listedOnPage(): Generator<[string, number]> {
  const page = readFileSync(new URL('../../../docs/reference/compatibility.md', import.meta.url), 'utf8');
  const section = page.split('## Client specification')[1]?.split('\n## ')[0] ?? '';
  for (const [, name = '', count] of section.matchAll(/`([^`]+)` \((\d+)\)/g)) yield [name, Number(count)];
}
