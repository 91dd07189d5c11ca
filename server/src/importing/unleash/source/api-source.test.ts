import { expect, test } from 'vitest';
import { keyringOf } from '../../../platform/secrets/seal.ts';
import { APP_SETTINGS, useHarness } from '../../../test/harness.ts';
import { type Responses, readRecorded, recordedApi, TOKEN_OF_RECORDED } from '../../../test/recorded-api.ts';
import { call } from '../../../test/request.ts';
import { totalWritten } from '../report.ts';
import { importUnleash, listLeftBehind } from '../run.ts';
import { openApiSource } from './api-source.ts';
import { closeSource } from './source.ts';

const harness = useHarness();
const SETTINGS = {
  keyring: keyringOf(APP_SETTINGS.secretKey, []),
  targets: { allowed: [], allowPrivate: false },
};

async function run(url: string) {
  const source = await openApiSource(url, TOKEN_OF_RECORDED, harness.databaseUrl);
  try {
    const report = await importUnleash(harness.db, source, SETTINGS, {
      plan: false,
      accept: true,
      overwrite: true,
      onlyChanged: false,
    });
    return { report, leftBehind: await listLeftBehind(source) };
  } finally {
    await closeSource(source);
  }
}

const rejectedOf = ({ report }: Awaited<ReturnType<typeof run>>): string[] =>
  [...report].flatMap(([kind, one]) => one.rejected.map(line => `${kind}: ${line}`));
const strategiesOf = async (feature: string) =>
  (await call(harness.app, 'GET', `/api/admin/projects/default/features/${feature}/environments/production`))
    .body.strategies;

test('imports Unleash 8.2.0 through its API, and a second run writes nothing', async () => {
  const url = await recordedApi('8.2.0');
  // Takes the id of a segment of Unleash.
  await call(harness.app, 'POST', '/api/admin/segments', { body: { name: 'taken', constraints: [] } });

  const first = await run(url);
  const second = await run(url);

  expect(rejectedOf(first)).toEqual([
    'features: kill-payments: it is archived, and the API of Unleash does not show what archived flags do',
  ]);
  expect(totalWritten(second.report)).toBe(0);
  expect(first.leftBehind).toEqual([
    'environment "staging" of project "payments", which the API does not list',
    expect.stringMatching(/^API tokens whose secrets Unleash does not show: \d$/),
    expect.stringMatching(/^what the API does not show: users, roles/),
  ]);
  // In the order of the flag, which the export does not have.
  expect(await strategiesOf('checkout-v2')).toMatchObject([
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

test('keeps a flag disabled where Unleash lists it as disabled, even if an export says otherwise', async () => {
  const responses = readRecorded('8.2.0');
  for (const [request, { body }] of Object.entries(responses))
    if (request.startsWith('POST features-batch/export'))
      for (const one of (body as { featureEnvironments: { enabled: boolean }[] }).featureEnvironments)
        one.enabled = true;

  await run(await recordedApi(responses));

  const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/dark-mode');
  expect(body.environments).toMatchObject([
    { name: 'development', enabled: true, strategies: [{ name: 'flexibleRollout' }] },
    { name: 'production', enabled: false, strategies: [] },
  ]);
});

test('reports a flag whose state in an environment Unleash does not list', async () => {
  const responses = readRecorded('8.2.0');
  const listed = responses['GET projects/default/features']?.body as { features: object[] };
  listed.features = listed.features.map(feature => ({ ...feature, environments: [] }));

  const { report } = await run(await recordedApi(responses));

  expect(report.get('features')?.rejected).toContain(
    'dark-mode: Unleash lists it, but does not show what it does',
  );
});

test('imports Unleash 4.19.5 through its API, with tokens that SDKs keep using', async () => {
  const responses = readRecorded('4.19.5');

  const first = await run(await recordedApi(responses));
  const second = await run(await recordedApi(responses));

  expect(totalWritten(second.report)).toBe(0);
  expect(first.report.get('API tokens')?.created).toBeGreaterThan(3);
  expect(first.leftBehind).toHaveLength(1);
  const listed = responses['GET api-tokens']?.body as { tokens: { secret: string; type: string }[] };
  const token = listed.tokens.find(({ type }) => type === 'client')?.secret ?? '';
  await harness.app.serving.refresh();
  expect((await call(harness.app, 'GET', '/api/client/features', { token })).status).toBe(200);
});

test('takes over a changed flag, deletes a deleted one, and keeps tokens that it no longer sees', async () => {
  const before = readRecorded('4.19.5');
  await run(await recordedApi(before));
  const after = structuredClone(before) as Responses;
  const state = after['GET state/export?format=json']?.body as { features: Record<string, unknown>[] };
  state.features = state.features.filter(({ name }) => name !== 'no-strategy');
  const listed = after['GET projects/default/features']?.body as { features: { name: string }[] };
  listed.features = listed.features.filter(({ name }) => name !== 'no-strategy');
  for (const feature of state.features) if (feature.name === 'dark-mode') feature.description = 'Changed';
  (after['GET api-tokens'] as { body: object }).body = { tokens: [] };

  const { report } = await run(await recordedApi(after));

  expect(report.get('features')).toMatchObject({ updated: 1, removed: 1 });
  expect(report.get('API tokens')).toMatchObject({ removed: 0 });
  expect(report.get('API tokens')?.onlyHere.length).toBeGreaterThan(3);
  expect(report.has('users')).toBe(false);
});

test('says what is wrong with the token or the URL', async () => {
  const url = await recordedApi({});

  await expect(openApiSource(url, 'wrong', harness.databaseUrl)).rejects.toThrow(
    'Unleash rejects the token with 401',
  );
  await expect(openApiSource(url, TOKEN_OF_RECORDED, harness.databaseUrl)).rejects.toThrow(
    /Unleash has no \/api\/admin/,
  );
  await expect(openApiSource('http://127.0.0.1:1', TOKEN_OF_RECORDED, harness.databaseUrl)).rejects.toThrow(
    /^Unleash cannot be read at http:\/\/127\.0\.0\.1:1: ./,
  );
});
