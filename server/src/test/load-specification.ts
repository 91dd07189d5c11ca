import type { App } from '@halyard/plane/platform/http/app.ts';
import { isAddressRange } from '../targeting/constraints/values.ts';
import { call } from './request.ts';
import { buildState, type Specification, type SpecifiedFeature } from './specification.ts';

/** The reasons why the admin API rejects features of the specification, by feature name. */
export type RejectionReasons = Map<string, string>;

const TOTAL_WEIGHT = 1_000;
const PROJECT = '/api/admin/projects/default';

/**
 * Creates the state of a specification through the admin API, in a new environment. If part of a feature is rejected, it stays
 * disabled.
 */
export async function loadSpecification(app: App, specification: Specification): Promise<RejectionReasons> {
  const environment = specification.name;
  const { features, segments } = buildState(specification);
  const reasons: RejectionReasons = new Map();
  const post = (url: string, body?: unknown) => call(app, 'POST', url, { body });

  await post('/api/admin/environments', { name: environment, type: 'test' });
  await post(`${PROJECT}/environments`, { environment });
  const segmentIds = new Map<number, number>();
  for (const { id, constraints } of segments) {
    const response = await post('/api/admin/segments', { name: `${environment} ${id}`, constraints });
    if (response.status === 201) segmentIds.set(id, response.body.id);
  }
  for (const name of new Set(
    features.flatMap(feature => feature.strategies.map(strategy => strategy.name)),
  )) {
    await post('/api/admin/strategies', { name });
  }
  for (const { name } of features) {
    const response = await post(`${PROJECT}/features`, { name });
    // The same name may be in several files.
    if (response.status !== 201 && response.status !== 409) reasons.set(name, response.body.message);
  }
  const evaluatedNames = new Set(
    [...(specification.tests ?? []), ...(specification.variantTests ?? [])].map(
      testCase => testCase.toggleName,
    ),
  );
  for (const feature of sortForCreation(features, evaluatedNames).filter(({ name }) => !reasons.has(name))) {
    const path = `${PROJECT}/features/${encodeURIComponent(feature.name)}`;
    for (const [method, url, body] of buildRequests(feature, segmentIds, environment)) {
      const { status, body: response } = await call(app, method, `${path}${url}`, { body });
      if (status < 300) continue;
      reasons.set(feature.name, (response.details ?? [response])[0].message);
      break;
    }
  }
  return reasons;
}

/**
 * Sorts the features so that the server rejects as few as possible. A parent cannot itself have a parent, so the server rejects one
 * feature in a chain of three and one feature in a cycle. With this order, it rejects the last child in the chain, and the feature
 * in the cycle that no case evaluates.
 */
function sortForCreation(
  features: SpecifiedFeature[],
  evaluatedNames: ReadonlySet<string>,
): SpecifiedFeature[] {
  const children = new Set(features.filter(feature => feature.dependencies?.length).map(({ name }) => name));
  const rank = ({ name, dependencies = [] }: SpecifiedFeature): number =>
    dependencies.some(({ feature }) => children.has(feature)) ? (evaluatedNames.has(name) ? 1 : 2) : 0;
  return features.toSorted((a, b) => rank(a) - rank(b));
}

type Request = ['POST' | 'PUT', string, unknown];

/** Returns the requests that create the parts of a feature. The last request enables the feature. */
function buildRequests(
  { enabled, strategies, variants = [], dependencies = [] }: SpecifiedFeature,
  segmentIds: Map<number, number>,
  environment: string,
): Request[] {
  const environmentPath = `/environments/${environment}`;
  const completeStrategies = strategies.map(
    ({ constraints = [], segments = [], variants: list = [], ...strategy }) => ({
      ...strategy,
      constraints: constraints.filter(constraint => !isAlwaysTrue(constraint)).map(dropUnreadableRanges),
      segments: segments.map(id => segmentIds.get(id) ?? 2_147_483_647),
      variants: scaleWeights(list),
    }),
  );
  return [
    // SDKs enable a feature without strategies for everyone, and so does this strategy.
    ...(completeStrategies.length === 0 ? [{ name: 'default' }] : completeStrategies).map(
      (strategy): Request => ['POST', `${environmentPath}/strategies`, strategy],
    ),
    ['PUT', `${environmentPath}/variants`, scaleWeights(variants)],
    ...dependencies.map((dependency): Request => ['POST', '/dependencies', dependency]),
    ...(enabled ? [['POST', `${environmentPath}/on`, undefined] satisfies Request] : []),
  ];
}

/** Scales the weights and keeps their proportions. The specification omits their type. */
function scaleWeights<V extends { weight: number }>(variants: V[]) {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const weightType = variants.every(({ weight }) => weight === variants[0]?.weight) ? 'variable' : 'fix';
  return variants.map(variant => ({
    ...variant,
    weightType,
    weight: Math.floor((variant.weight * TOTAL_WEIGHT) / total),
  }));
}

/** No value is in an empty list, so NOT_IN with an empty list is always true. */
const isAlwaysTrue = ({ operator, values = [] }: { operator: string; values?: string[] }): boolean =>
  operator === 'NOT_IN' && values.length === 0;

/** Removes the ranges that SDKs cannot read, unless there are no others. SDKs skip them, but the admin API rejects them. */
function dropUnreadableRanges<C extends { operator: string; values?: string[] }>(constraint: C): C {
  if (constraint.operator !== 'IN_CIDR') return constraint;
  const readable = (constraint.values ?? []).filter(isAddressRange);
  return readable.length === 0 ? constraint : { ...constraint, values: readable };
}
