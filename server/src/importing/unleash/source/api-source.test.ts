import { expect, test } from 'vitest';
import { makeKeyring } from '../../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../../test/harness.ts';
import {
  RECORDED_TOKEN,
  type Responses,
  readRecorded,
  startRecordedApi,
} from '../../../test/recorded-api.ts';
import { call } from '../../../test/request.ts';
import { countWritten } from '../report.ts';
import { importUnleash, listUnsupported } from '../run.ts';
import { openApiSource } from './api-source.ts';
import { closeSource } from './source.ts';

const harness = useHarness();
const SETTINGS = {
  keyring: makeKeyring(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};

async function run(url: string) {
  const source = await openApiSource(url, RECORDED_TOKEN, harness.databaseUrl);
  try {
    const report = await importUnleash(harness.db, source, SETTINGS, {
      plan: false,
      accept: true,
      overwrite: true,
      onlyChanged: false,
    });
    return { report, unsupported: await listUnsupported(source) };
  } finally {
    await closeSource(source);
  }
}

const listRejectedLines = ({ report }: Awaited<ReturnType<typeof run>>): string[] =>
  [...report].flatMap(([kind, kindReport]) => kindReport.rejected.map(line => `${kind}: ${line}`));
const readStrategies = async (feature: string) =>
  (await call(harness.app, 'GET', `/api/admin/projects/default/features/${feature}/environments/production`))
    .body.strategies;

test('imports Unleash 8.2.0 through its API, and a second run writes nothing', async () => {
  const url = await startRecordedApi('8.2.0');
  // This segment takes the id of a segment in Unleash.
  await call(harness.app, 'POST', '/api/admin/segments', { body: { name: 'taken', constraints: [] } });

  const firstRun = await run(url);
  const secondRun = await run(url);

  expect(listRejectedLines(firstRun)).toEqual([
    "features: kill-payments: it is archived, and Unleash's API does not return the configuration of archived flags",
  ]);
  expect(countWritten(secondRun.report)).toBe(0);
  expect(firstRun.unsupported).toEqual([
    'environment "staging" of project "payments", which the API does not list',
    expect.stringMatching(/^API tokens whose secrets Unleash does not show: \d$/),
    expect.stringMatching(/^not available through the API: users, roles/),
  ]);
  // The strategies are in the flag's own order, which the export does not contain.
  expect(await readStrategies('checkout-v2')).toMatchObject([
    { title: 'A quarter', parameters: { rollout: '25' }, segments: [expect.any(Number), expect.any(Number)] },
    { name: 'default' },
    { parameters: { rollout: '50' }, variants: [{ name: 'blue' }, { name: 'red' }] },
    { parameters: { rollout: '10' }, disabled: true },
    { name: 'byTeam' },
  ]);
  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/checkout-v2');
  expect(body).toMatchObject({
    dependencies: [{ feature: 'parent-flag' }],
    links: [{ url: 'https://example.com/checkout', title: 'Design' }],
  });
});

test('keeps a flag disabled in environments where Unleash lists it as disabled, even if an export says otherwise', async () => {
  const responses = readRecorded('8.2.0');
  for (const [request, { body }] of Object.entries(responses))
    if (request.startsWith('POST features-batch/export'))
      for (const featureEnvironment of (body as { featureEnvironments: { enabled: boolean }[] })
        .featureEnvironments)
        featureEnvironment.enabled = true;

  await run(await startRecordedApi(responses));

  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/dark-mode');
  expect(body.environments).toMatchObject([
    { name: 'development', enabled: true, strategies: [{ name: 'flexibleRollout' }] },
    { name: 'production', enabled: false, strategies: [] },
  ]);
});

test('reports a flag if Unleash does not list its state in an environment', async () => {
  const responses = readRecorded('8.2.0');
  const featureList = responses['GET projects/default/features']?.body as { features: object[] };
  featureList.features = featureList.features.map(feature => ({ ...feature, environments: [] }));

  const { report } = await run(await startRecordedApi(responses));

  expect(report.get('features')?.rejected).toContain(
    'dark-mode: Unleash lists it, but does not return its configuration',
  );
});

test('imports Unleash 4.19.5 through its API, with tokens that SDKs keep using', async () => {
  const responses = readRecorded('4.19.5');

  const firstRun = await run(await startRecordedApi(responses));
  const secondRun = await run(await startRecordedApi(responses));

  expect(countWritten(secondRun.report)).toBe(0);
  expect(firstRun.report.get('API tokens')?.created).toBeGreaterThan(3);
  expect(firstRun.unsupported).toHaveLength(1);
  const tokenList = responses['GET api-tokens']?.body as { tokens: { secret: string; type: string }[] };
  const token = tokenList.tokens.find(({ type }) => type === 'client')?.secret ?? '';
  await harness.app.serving.refresh();
  expect((await call(harness.app, 'GET', '/api/client/features', { token })).status).toBe(200);
});

test('updates changed flags, removes deleted flags, and keeps tokens that Unleash no longer shows', async () => {
  const responsesBefore = readRecorded('4.19.5');
  await run(await startRecordedApi(responsesBefore));
  const responsesAfter = structuredClone(responsesBefore) as Responses;
  const state = responsesAfter['GET state/export?format=json']?.body as {
    features: Record<string, unknown>[];
  };
  state.features = state.features.filter(({ name }) => name !== 'no-strategy');
  const featureList = responsesAfter['GET projects/default/features']?.body as {
    features: { name: string }[];
  };
  featureList.features = featureList.features.filter(({ name }) => name !== 'no-strategy');
  for (const feature of state.features) if (feature.name === 'dark-mode') feature.description = 'Changed';
  (responsesAfter['GET api-tokens'] as { body: object }).body = { tokens: [] };
  const environmentList = responsesAfter['GET environments']?.body as { environments: { name: string }[] };
  environmentList.environments = environmentList.environments.filter(({ name }) => name !== 'closed');

  const { report } = await run(await startRecordedApi(responsesAfter));

  expect(report.get('features')).toMatchObject({ updated: 1, removed: 1 });
  expect(report.get('API tokens')).toMatchObject({ removed: 0 });
  expect(report.get('API tokens')?.notListed.length).toBeGreaterThan(3);
  expect(report.get('environments')).toMatchObject({ onlyInHalyard: [], notListed: ['closed'] });
  expect(report.has('users')).toBe(false);
});

test('says what is wrong with the token or the URL', async () => {
  const url = await startRecordedApi({});

  await expect(openApiSource(url, 'wrong', harness.databaseUrl)).rejects.toThrow(
    'Unleash rejected the token with 401',
  );
  await expect(openApiSource(url, RECORDED_TOKEN, harness.databaseUrl)).rejects.toThrow(
    /Unleash has no \/api\/admin/,
  );
  await expect(openApiSource('http://127.0.0.1:1', RECORDED_TOKEN, harness.databaseUrl)).rejects.toThrow(
    /^Cannot read Unleash at http:\/\/127\.0\.0\.1:1: ./,
  );
});
