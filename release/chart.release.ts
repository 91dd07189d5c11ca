import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import {
  findTypeErrors,
  folder,
  type Kubernetes,
  listObjects,
  type RenderedChart,
  render,
  validate,
} from './support/chart.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/halyard');
const SETS = readdirSync(join(CHART, 'ci')).map(file => file.replace('-values.yaml', ''));
const getValuesPath = (set: string): string => join(CHART, `ci/${set}-values.yaml`);
const renderSet = (set: string): RenderedChart => render(CHART, [getValuesPath(set)]);

/** Renders the chart with a set's values, overridden by the given values as with `--set`. */
function renderWith(values: object, set = 'smallest', chart = CHART): RenderedChart {
  const file = join(folder, 'with.json');
  writeFileSync(file, JSON.stringify(values));
  return render(chart, [getValuesPath(set), file]);
}

const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

test('the chart has exactly six sets of values', () => {
  expect(SETS.toSorted()).toEqual([
    'autoscaling',
    'everything',
    'ingress',
    'monitoring',
    'network',
    'smallest',
  ]);
});

test.each(SETS)('%s renders its golden file', async set => {
  const { texts } = renderSet(set);
  const renderedText = Object.entries(texts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([path, text]) => `# ${path}\n${text.trim()}\n`)
    .join('---\n');

  await expect(renderedText).toMatchFileSnapshot(`golden/chart/${set}.yaml`);
});

test.each(SETS)('%s passes the values schema', set => {
  expect(isValid(renderSet(set).values), JSON.stringify(isValid.errors)).toBe(true);
});

test.each(SETS)('%s renders valid Kubernetes objects', async set => {
  expect(await validate(listObjects(renderSet(set)))).toEqual([]);
});

test('no object has a field that Kubernetes does not know', () => {
  expect(findTypeErrors(SETS.flatMap(set => listObjects(renderSet(set))))).toBe('');
});

/** Copies the chart, replaces text in a template of the copy, and returns the folder of the copy. */
function replaceInTemplate(template: string, text: string, replacement: string): string {
  const copy = mkdtempSync(join(folder, 'planted-'));
  cpSync(CHART, copy, { recursive: true, dereference: true });
  const path = join(copy, 'templates', template);
  const originalText = readFileSync(path, 'utf8');
  expect(originalText).toContain(text);
  writeFileSync(path, originalText.replace(text, replacement));
  return copy;
}

test('the checks detect wrong types, missing fields, unknown fields and template errors', async () => {
  const wrongType = renderWith(
    {},
    'smallest',
    replaceInTemplate('service.yaml', 'targetPort: http', 'targetPort: [http]'),
  );
  expect((await validate(listObjects(wrongType))).join()).toContain('targetPort');
  const missingName = renderWith(
    {},
    'smallest',
    replaceInTemplate('deployment.yaml', '- name: halyard\n', '- workingDir: /\n'),
  );
  expect((await validate(listObjects(missingName))).join()).toContain('name');
  const unknownField = renderWith(
    {},
    'smallest',
    replaceInTemplate('deployment.yaml', 'readinessProbe:', 'readynessProbe:'),
  );
  expect(findTypeErrors(listObjects(unknownField))).toContain('readynessProbe');
  expect(() =>
    renderWith(
      {},
      'smallest',
      replaceInTemplate('service.yaml', 'include "halyard.fullname"', 'include "halyard.absent"'),
    ),
  ).toThrow('halyard.absent');
  expect(() =>
    renderWith({}, 'smallest', replaceInTemplate('service.yaml', 'spec:', 'spec: {}\nspec:')),
  ).toThrow('already set');
});

test.each([
  ['publicUrl', { publicUrl: '' }, 'Set publicUrl'],
  ['database.existingSecret', { database: { existingSecret: '' } }, 'Set database.existingSecret'],
  ['secretKey.existingSecret', { secretKey: { existingSecret: '' } }, 'Set secretKey.existingSecret'],
  [
    'a single source for the CA',
    { database: { ca: { existingSecret: 'a', existingConfigMap: 'b' } } },
    'Set database.ca.existingSecret or database.ca.existingConfigMap, not both.',
  ],
  ['ingress.host', { ingress: { enabled: true } }, 'Set ingress.host'],
  [
    'a valid range of replicas',
    { autoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 } },
    'maxReplicas is less than',
  ],
])('the chart does not render without %s', (_name, values, message) => {
  expect(() => renderWith(values)).toThrow(message);
});

test.each([
  ['an unknown value', { replicas: 3 }],
  ['an unknown nested value', { ingress: { hosts: ['a'] } }],
  ['an empty URL', { publicUrl: '' }],
  ['a URL with a path', { publicUrl: 'https://flags.example.com/flags' }],
  ['an empty Secret name', { database: { existingSecret: '' } }],
  ['a number as a variable', { env: { HALYARD_POOL_SIZE: 20 } }],
  ['a secret in plain text', { env: { DATABASE_URL: 'postgres://a:b@c/d' } }],
  ['an old key in plain text', { env: { HALYARD_OLD_SECRET_KEYS: 'a' } }],
  ['an unknown source for the CA', { database: { ca: { secret: 'a' } } }],
  ['an ingress without a host', { ingress: { enabled: true } }],
  ['an invalid digest', { image: { digest: 'sha256:1' } }],
  ['no replicas', { replicaCount: 0 }],
  ['an interval without a unit', { serviceMonitor: { interval: '30' } }],
  ['a runbook without a scheme', { prometheusRule: { runbookBaseUrl: 'git.example.com/halyard' } }],
])('the schema rejects %s', (_name, values) => {
  const { values: defaults } = renderSet('smallest');
  const mergedValues = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'object' ? { ...(defaults[key] as object), ...value } : value,
    ]),
  );

  expect(isValid({ ...defaults, ...mergedValues })).toBe(false);
});

test.each(SETS)('every pod in %s follows the restricted profile, and no secret is in plain text', set => {
  const pods = listObjects(renderSet(set)).filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
  expect(pods.length).toBeGreaterThan(0);

  for (const { spec } of pods.map(({ spec }) => spec.template)) {
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec.hostNetwork ?? spec.hostPID ?? spec.hostIPC).toBeUndefined();
    for (const { name: _, ...source } of spec.volumes)
      expect(['emptyDir', 'secret', 'configMap']).toEqual(expect.arrayContaining(Object.keys(source)));
    for (const container of spec.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const name of ['DATABASE_URL', 'HALYARD_SECRET_KEY'])
        expect(container.env.find((variable: Kubernetes) => variable.name === name)).toEqual({
          name,
          valueFrom: { secretKeyRef: { name: expect.any(String), key: expect.any(String) } },
        });
      const names = container.env.map((variable: Kubernetes) => variable.name);
      expect(new Set(names).size).toBe(names.length);
    }
  }
});

test.each([
  ['a Secret', 'existingSecret', { secret: { secretName: 'ca', items: [{ key: 'pem', path: 'ca.crt' }] } }],
  [
    'a ConfigMap',
    'existingConfigMap',
    { configMap: { name: 'ca', items: [{ key: 'pem', path: 'ca.crt' }] } },
  ],
])('servers and the migration read the database CA from %s', (_name, source, volume) => {
  const objects = listObjects(renderWith({ database: { ca: { [source]: 'ca', key: 'pem' } } }));
  const pods = objects.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
  expect(pods).toHaveLength(2);

  for (const { spec } of pods.map(({ spec }) => spec.template)) {
    expect(spec.volumes).toContainEqual({ name: 'database-ca', ...volume });
    expect(spec.containers[0].volumeMounts).toContainEqual({
      name: 'database-ca',
      mountPath: '/etc/halyard/database-ca',
      readOnly: true,
    });
  }
});

test('the servers read old secret keys from a Secret', () => {
  const objects = listObjects(renderWith({ oldSecretKeys: { existingSecret: 'keys', key: 'previous' } }));
  const { env } = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0];

  expect(env).toContainEqual({
    name: 'HALYARD_OLD_SECRET_KEYS',
    valueFrom: { secretKeyRef: { name: 'keys', key: 'previous' } },
  });
});

test('the migration pod receives no requests, and runs before the servers', () => {
  const objects = listObjects(renderSet('smallest'));
  const [job, service] = ['Job', 'Service'].map(kind => objects.find(object => object.kind === kind));

  expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  expect(job.spec.template.metadata.labels).not.toMatchObject(service.spec.selector);
  expect(job.spec.template.spec.containers[0].args).toEqual(['migrate']);
});

test('Service and PodDisruptionBudget select the pods, and ServiceMonitor the Service', () => {
  const objects = [...listObjects(renderSet('monitoring')), ...listObjects(renderSet('network'))];
  const find = (kind: string) => objects.find(object => object.kind === kind);
  const { labels } = find('Deployment').spec.template.metadata;

  expect(labels).toMatchObject(find('Service').spec.selector);
  expect(labels).toMatchObject(find('PodDisruptionBudget').spec.selector.matchLabels);
  expect(find('Service').metadata.labels).toMatchObject(find('ServiceMonitor').spec.selector.matchLabels);
  expect(find('ServiceMonitor').spec.endpoints[0].port).toBe(find('Service').spec.ports[0].name);
});

test('the PrometheusRule has the alerts in deploy/prometheus/rules.yaml, and promtool accepts them', () => {
  const rule = listObjects(renderSet('monitoring')).find(({ kind }) => kind === 'PrometheusRule');
  const file = join(folder, 'rules.json');
  writeFileSync(file, JSON.stringify({ groups: rule.spec.groups }));

  const alerts = rule.spec.groups.flatMap(({ rules }: Kubernetes) =>
    rules.map(({ alert }: Kubernetes) => alert),
  );
  const source = readFileSync(join(ROOT, 'deploy/prometheus/rules.yaml'), 'utf8');
  expect(alerts).toEqual([...source.matchAll(/- alert: (\w+)/g)].map(([, name]) => name));
  expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
});

test('the chart version matches the package version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8');

  expect(chart).toContain(`\nversion: ${version}\n`);
  expect(chart).toContain(`\nappVersion: "${version}"\n`);
});

test('the server knows every variable that the chart sets', async () => {
  const { VARIABLE_NAMES } = await import('../server/src/platform/variables.ts');
  const usedVariables = SETS.flatMap(set => listObjects(renderSet(set)))
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) =>
      spec.template.spec.containers[0].env.map((variable: Kubernetes) => variable.name as string),
    );

  expect([...new Set(usedVariables)].filter(name => !VARIABLE_NAMES.includes(name))).toEqual([]);
});
