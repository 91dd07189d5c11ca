import type { App } from '../../../plane/src/platform/http/app.ts';
import { isAddressRange } from '../targeting/constraints/values.ts';
import { call } from './request.ts';
import { type Specification, type SpecifiedFeature, stateOf } from './specification.ts';

/** The reason why the admin API rejects a feature of the specification, by feature name. */
export type Rejected = Map<string, string>;

const TOTAL_WEIGHT = 1_000;
const PROJECT = '/api/admin/projects/default';

/**
 * Creates the state of a specification through the admin API, in a new environment. If part of a feature is rejected, it stays
 * disabled.
 */
export async function loadSpecification(app: App, specification: Specification): Promise<Rejected> {
  const environment = specification.name;
  const { features, segments } = stateOf(specification);
  const rejected: Rejected = new Map();
  const post = (url: string, body?: unknown) => call(app, 'POST', url, { body });

  await post('/api/admin/environments', { name: environment, type: 'test' });
  await post(`${PROJECT}/environments`, { environment });
  const segmentIds = new Map<number, number>();
  for (const { id, constraints } of segments) {
    const created = await post('/api/admin/segments', { name: `${environment} ${id}`, constraints });
    if (created.status === 201) segmentIds.set(id, created.body.id);
  }
  for (const name of new Set(features.flatMap(one => one.strategies.map(strategy => strategy.name)))) {
    await post('/api/admin/strategies', { name });
  }
  for (const { name } of features) {
    const created = await post(`${PROJECT}/features`, { name });
    // The same name may be in several files.
    if (created.status !== 201 && created.status !== 409) rejected.set(name, created.body.message);
  }
  const asked = new Set(
    [...(specification.tests ?? []), ...(specification.variantTests ?? [])].map(one => one.toggleName),
  );
  for (const feature of creationOrder(features, asked).filter(({ name }) => !rejected.has(name))) {
    const path = `${PROJECT}/features/${encodeURIComponent(feature.name)}`;
    for (const [method, url, body] of requestsFor(feature, segmentIds, environment)) {
      const { status, body: response } = await call(app, method, `${path}${url}`, { body });
      if (status < 300) continue;
      rejected.set(feature.name, (response.details ?? [response])[0].message);
      break;
    }
  }
  return rejected;
}

/**
 * A parent cannot itself have a parent, so the server rejects one feature of a chain of three, and one of a cycle. In the chain
 * this is the last child, and in the cycle the feature that no case evaluates.
 */
function creationOrder(features: SpecifiedFeature[], asked: ReadonlySet<string>): SpecifiedFeature[] {
  const children = new Set(features.filter(one => one.dependencies?.length).map(({ name }) => name));
  const rank = ({ name, dependencies = [] }: SpecifiedFeature): number =>
    dependencies.some(({ feature }) => children.has(feature)) ? (asked.has(name) ? 1 : 2) : 0;
  return features.toSorted((a, b) => rank(a) - rank(b));
}

type Request = ['POST' | 'PUT', string, unknown];

/** The last request enables the feature. */
function requestsFor(
  { enabled, strategies, variants = [], dependencies = [] }: SpecifiedFeature,
  segmentIds: Map<number, number>,
  environment: string,
): Request[] {
  const here = `/environments/${environment}`;
  const complete = strategies.map(
    ({ constraints = [], segments = [], variants: list = [], ...strategy }) => ({
      ...strategy,
      constraints: constraints.filter(one => !isAlwaysTrue(one)).map(readableRanges),
      segments: segments.map(id => segmentIds.get(id) ?? 2_147_483_647),
      variants: scaled(list),
    }),
  );
  return [
    // SDKs enable a feature without strategies for everyone. So does this strategy.
    ...(complete.length === 0 ? [{ name: 'default' }] : complete).map(
      (strategy): Request => ['POST', `${here}/strategies`, strategy],
    ),
    ['PUT', `${here}/variants`, scaled(variants)],
    ...dependencies.map((dependency): Request => ['POST', '/dependencies', dependency]),
    ...(enabled ? [['POST', `${here}/on`, undefined] satisfies Request] : []),
  ];
}

/** Keeps the proportions of the weights. The specification omits their type. */
function scaled<V extends { weight: number }>(variants: V[]) {
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

/** SDKs skip ranges that they cannot read if there are others. */
function readableRanges<C extends { operator: string; values?: string[] }>(constraint: C): C {
  if (constraint.operator !== 'IN_CIDR') return constraint;
  const readable = (constraint.values ?? []).filter(isAddressRange);
  return readable.length === 0 ? constraint : { ...constraint, values: readable };
}
