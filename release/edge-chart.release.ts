import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { readEdgeConfig } from '../edge/src/config.ts';
import {
  findTypeErrors,
  type Kubernetes,
  listObjects,
  type RenderedChart,
  render,
  validate,
} from './support/chart.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/halyard-edge');
const SETS = ['smallest', 'everything'];

const renderSet = (set: string): RenderedChart => render(CHART, [join(CHART, `ci/${set}-values.yaml`)]);
const find = (set: string, kind: string): Kubernetes =>
  listObjects(renderSet(set)).find(object => object.kind === kind);
const getPodTemplate = (set: string): Kubernetes => find(set, 'StatefulSet').spec.template;

const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

test.each(SETS)('%s renders its golden file', async set => {
  const renderedText = Object.entries(renderSet(set).texts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([path, text]) => `# ${path}\n${text.trim()}\n`)
    .join('---\n');

  await expect(renderedText).toMatchFileSnapshot(`golden/edge-chart/${set}.yaml`);
});

test.each(SETS)('%s passes the schema and renders valid Kubernetes objects', async set => {
  const chart = renderSet(set);

  expect(isValid(chart.values), JSON.stringify(isValid.errors)).toBe(true);
  expect(await validate(listObjects(chart))).toEqual([]);
  expect(findTypeErrors(listObjects(chart))).toBe('');
});

test('the chart does not render without an enrolment', () => {
  expect(() => render(CHART, [])).toThrow('Set enrolment.existingSecret');
});

test.each([
  ['an unknown value', { replicas: 3 }],
  ['an empty Secret name', { enrolment: { existingSecret: '', key: 'enrolment' } }],
  ['an enrolment in plain text', { env: { HALYARD_EDGE_ENROLMENT: 'secret' } }],
  ['a metrics token in plain text', { env: { HALYARD_METRICS_TOKEN: 'secret' } }],
  ['an upstream without a scheme', { upstream: 'flags.internal' }],
  ['a size without a unit', { persistence: { size: '1000' } }],
])('the schema rejects %s', (_name, values) => {
  expect(isValid({ ...renderSet('smallest').values, ...values })).toBe(false);
});

test.each(SETS)('pods in %s follow the restricted profile, and no secret is in plain text', set => {
  const { spec } = getPodTemplate(set);
  const [container] = spec.containers;

  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.env.find(({ name }: Kubernetes) => name === 'HALYARD_EDGE_ENROLMENT').valueFrom).toEqual({
    secretKeyRef: { name: expect.any(String), key: expect.any(String) },
  });
});

test.each(SETS)('the data folder in %s is on a mounted volume', set => {
  const { spec } = find(set, 'StatefulSet');
  const [container] = spec.template.spec.containers;
  const folder = container.env.find(({ name }: Kubernetes) => name === 'HALYARD_DATA_DIR').value;
  const mount = container.volumeMounts.find((candidate: Kubernetes) => candidate.mountPath === folder);
  const volumes = [
    ...spec.template.spec.volumes,
    ...(spec.volumeClaimTemplates ?? []).map(({ metadata }: Kubernetes) => metadata),
  ];

  expect(volumes.filter(({ name }) => name === mount.name)).toHaveLength(1);
});

test.each(SETS)('Service and PodDisruptionBudget in %s select the pods', set => {
  const { labels } = getPodTemplate(set).metadata;

  expect(labels).toMatchObject(find(set, 'Service').spec.selector);
  expect(labels).toMatchObject(find(set, 'PodDisruptionBudget').spec.selector.matchLabels);
});

test('the edge reads every variable that the chart sets', () => {
  const readVariables = new Set<string>();
  const env = new Proxy({} as NodeJS.ProcessEnv, {
    get: (_target, name) => {
      readVariables.add(String(name));
      return undefined;
    },
  });
  expect(() => readEdgeConfig(env)).toThrow('HALYARD_EDGE_ENROLMENT');
  const chartVariables = getPodTemplate('everything').spec.containers[0].env.map(
    ({ name }: Kubernetes) => name,
  );

  expect(chartVariables.filter((name: string) => !readVariables.has(name))).toEqual([]);
});

test('the chart version matches the package version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8');

  expect(chart).toContain(`\nversion: ${version}\nappVersion: "${version}"\n`);
});
