import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeApiToken, makeProject, makeUser } from '../../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../../test/harness.ts';
import { insertRichFeature, insertSegment } from '../../test/rich-feature.ts';

/**
 * A recorded request with the status and error name of Unleash's response. Where Halyard responds differently, `halyard` has its
 * response and `reason` says why. `docs/contract.md` describes the contract.
 */
type Recorded = {
  name: string;
  project?: string;
  feature?: string;
  token?: 'none' | 'wrong' | 'client' | 'viewer' | 'editor';
  body?: unknown;
  /** A raw body, for example invalid JSON. */
  raw?: string;
  contentType?: string | null;
  status: number;
  error?: string;
  halyard?: { status: number; error?: string };
  reason?: string;
};

const CREATED = { halyard: { status: 200 }, reason: 'the contract documents 200' };
const CONTENT_TYPE = {
  halyard: { status: 415, error: 'ContentTypeerror' },
  reason: 'the contract documents 415 for this operation',
};

const CASES: Recorded[] = [
  { name: 'success, default replaceGroupId', body: { name: 'checkout-v3' }, status: 201, ...CREATED },
  {
    name: 'replaceGroupId false',
    body: { name: 'checkout-v4', replaceGroupId: false },
    status: 201,
    ...CREATED,
  },
  {
    name: 'explicit replaceGroupId true',
    feature: 'dark-mode',
    body: { name: 'dark-mode-2', replaceGroupId: true },
    status: 201,
    ...CREATED,
  },
  { name: 'stale source', feature: 'old-banner', body: { name: 'old-banner-2' }, status: 201, ...CREATED },
  {
    name: 'archived source',
    feature: 'to-archive',
    body: { name: 'to-archive-2' },
    status: 404,
    error: 'NotFoundError',
  },
  { name: 'existing name', body: { name: 'dark-mode' }, status: 409, error: 'NameExistsError' },
  { name: 'own name', body: { name: 'checkout-v2' }, status: 409, error: 'NameExistsError' },
  {
    name: 'name of an archived feature',
    body: { name: 'to-archive' },
    status: 409,
    error: 'NameExistsError',
  },
  { name: 'invalid name, space', body: { name: 'bad name!' }, status: 400, error: 'BadDataError' },
  { name: 'invalid name, slash', body: { name: 'a/b' }, status: 400, error: 'BadDataError' },
  { name: 'name "."', body: { name: '.' }, status: 400, error: 'BadDataError' },
  { name: 'empty name', body: { name: '' }, status: 400, error: 'BadDataError' },
  { name: 'name 101 characters', body: { name: 'n'.repeat(101) }, status: 400, error: 'BadDataError' },
  { name: 'name 256 characters', body: { name: 'n'.repeat(256) }, status: 400, error: 'BadDataError' },
  {
    name: 'name is a number',
    body: { name: 42 },
    status: 201,
    halyard: { status: 400, error: 'BadDataError' },
    reason: 'no operation converts a value in a body to a different type',
  },
  { name: 'name null', body: { name: null }, status: 400, error: 'BadDataError' },
  { name: 'name missing', body: {}, status: 400, error: 'BadDataError' },
  {
    name: 'replaceGroupId is a string',
    body: { name: 'checkout-str', replaceGroupId: 'false' },
    status: 201,
    halyard: { status: 400, error: 'BadDataError' },
    reason: 'same as for a number',
  },
  {
    name: 'replaceGroupId is "maybe"',
    body: { name: 'checkout-str2', replaceGroupId: 'maybe' },
    status: 400,
    error: 'BadDataError',
  },
  {
    name: 'extra body field project',
    body: { name: 'checkout-extra', project: 'payments' },
    status: 201,
    halyard: { status: 400, error: 'PatternError' },
    reason: 'the contract requires a field for the target project, and payments has a naming pattern',
  },
  { name: 'body is an array', body: [], status: 400, error: 'BadDataError' },
  { name: 'body is a JSON string', raw: '"x"', status: 400, error: 'BadDataError' },
  {
    name: 'no body, no content type',
    contentType: null,
    status: 400,
    error: 'BadDataError',
    ...CONTENT_TYPE,
  },
  { name: 'empty body with content type', raw: '', status: 400, error: 'BadDataError' },
  {
    name: 'malformed JSON',
    raw: '{"name": "x"',
    status: 400,
    halyard: { status: 400, error: 'BadDataError' },
    reason: 'every error has a name',
  },
  {
    name: 'wrong content type text/plain',
    raw: '{"name":"ct-plain"}',
    contentType: 'text/plain',
    status: 400,
    error: 'BadDataError',
    ...CONTENT_TYPE,
  },
  {
    name: 'wrong content type form',
    raw: 'name=ct-form',
    contentType: 'application/x-www-form-urlencoded',
    status: 201,
    ...CONTENT_TYPE,
  },
  {
    name: 'wrong content type xml',
    raw: '<a/>',
    contentType: 'application/xml',
    status: 400,
    error: 'BadDataError',
    ...CONTENT_TYPE,
  },
  {
    name: 'content type application/json; charset=utf-8',
    raw: '{"name":"ct-charset"}',
    contentType: 'application/json; charset=utf-8',
    status: 201,
    ...CREATED,
  },
  {
    name: 'body of 600 kB (over the JSON body limit)',
    raw: `{"name":"${'n'.repeat(600_000)}"}`,
    status: 413,
    halyard: { status: 413, error: 'PayloadTooLargeError' },
    reason: 'every error has a name',
  },
  { name: 'missing project', project: 'nope', body: { name: 'x1' }, status: 404, error: 'NotFoundError' },
  { name: 'missing feature', feature: 'nope', body: { name: 'x2' }, status: 404, error: 'NotFoundError' },
  {
    name: 'feature of a different project',
    project: 'payments',
    body: { name: 'pay.x3' },
    status: 404,
    error: 'NotFoundError',
    halyard: { status: 200 },
    reason: 'the contract allows copies in any project, and nothing ties this source to its own',
  },
  {
    name: 'name that violates the naming pattern of the project',
    project: 'payments',
    feature: 'pay.checkout-v2',
    body: { name: 'PAY_UPPER' },
    status: 400,
    error: 'PatternError',
  },
  {
    name: 'name that matches the naming pattern of the project',
    project: 'payments',
    feature: 'pay.checkout-v2',
    body: { name: 'pay.checkout-v3' },
    status: 201,
    ...CREATED,
  },
  {
    name: 'no token',
    token: 'none',
    body: { name: 'x4' },
    status: 401,
    error: 'AuthenticationRequired',
  },
  {
    name: 'wrong token',
    token: 'wrong',
    body: { name: 'x5' },
    status: 401,
    error: 'UnauthorizedError',
    halyard: { status: 401, error: 'AuthenticationRequired' },
    reason: 'the contract has one name for a request without valid authorization',
  },
  {
    name: 'client token',
    token: 'client',
    body: { name: 'x6' },
    status: 403,
    halyard: { status: 403, error: 'NoAccessError' },
    reason: 'every error has a name',
  },
  {
    name: 'viewer PAT',
    token: 'viewer',
    body: { name: 'x7' },
    status: 403,
    error: 'PermissionError',
    halyard: { status: 403, error: 'NoAccessError' },
    reason: 'the contract uses this name',
  },
  { name: 'editor PAT', token: 'editor', body: { name: 'by-editor' }, status: 201, ...CREATED },
];

const harness = useHarness();
const tokens: Record<string, string | undefined> = { wrong: '*:*.bad' };

const VARIANTS = [
  { name: 'blue', weight: 500, weightType: 'variable' as const, stickiness: 'userId' },
  { name: 'red', weight: 500, weightType: 'variable' as const, stickiness: 'userId' },
];

beforeAll(async () => {
  const { db } = harness;
  await makeProject(db, { id: 'payments' });
  await sql`update projects set naming_pattern = 'pay\\..+' where id = 'payments'`.execute(db);
  const segment = await insertSegment(db, 'beta users');
  const strategies = (rollout: string) => [
    {
      name: 'flexibleRollout',
      title: 'Gradually',
      segments: [segment],
      variants: VARIANTS,
      parameters: { groupId: 'checkout-v2', rollout, stickiness: 'userId' },
      constraints: [
        {
          contextName: 'country',
          operator: 'IN' as const,
          values: ['CZ', 'SE'],
          inverted: false,
          caseInsensitive: false,
        },
      ],
    },
    { name: 'remoteAddress', parameters: { IPs: '127.0.0.1' } },
  ];
  await insertRichFeature(db, { name: 'parent-flag' });
  await insertRichFeature(db, {
    name: 'checkout-v2',
    description: 'New checkout page',
    environments: {
      development: { enabled: true, strategies: strategies('100') },
      production: { strategies: strategies('25') },
    },
  });
  await insertRichFeature(db, {
    name: 'dark-mode',
    type: 'experiment',
    description: 'Dark theme, 100%_ready "quoted"',
    impressionData: true,
    environments: { development: { variants: VARIANTS } },
  });
  await insertRichFeature(db, { name: 'old-banner', stale: true, description: 'Old banner' });
  await insertRichFeature(db, { name: 'to-archive' });
  await sql`update features set archived_at = now() where name = 'to-archive'`.execute(db);
  await insertRichFeature(db, { name: 'pay.checkout-v2', project: 'payments' });
  const client = await makeApiToken(db, {
    tokenName: 'client',
    type: 'client',
    environment: 'production',
  });
  tokens.client = client.secret;
  tokens.viewer = (await makeUser(db, 'Viewer')).token;
  tokens.editor = (await makeUser(db, 'Editor')).token;
});

async function send(request: Recorded) {
  const { project = 'default', feature = 'checkout-v2', contentType = 'application/json' } = request;
  const token =
    request.token === 'none' ? undefined : request.token === undefined ? ADMIN_TOKEN : tokens[request.token];
  const payload = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const response = await harness.app.inject({
    method: 'POST',
    url: `/api/admin/projects/${project}/features/${feature}/clone`,
    headers: {
      ...(token === undefined ? {} : { authorization: token }),
      ...(contentType === null ? {} : { 'content-type': contentType }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: response.statusCode, body: response.json() };
}

test.each(CASES)('recorded: $name', async testCase => {
  const { status, body } = await send(testCase);

  const expectedResponse = testCase.halyard ?? testCase;
  expect(testCase.halyard === undefined).toBe(testCase.reason === undefined);
  expect(status).toBe(expectedResponse.status);
  if (status >= 400) expect(body.name).toBe(expectedResponse.error);
});

test('recorded: a copy has the strategies and variants of its source, with and without replaceGroupId', async () => {
  const readFeature = async (name: string) =>
    (
      await harness.app.inject({
        url: `/api/admin/projects/default/features/${name}`,
        headers: { authorization: ADMIN_TOKEN },
      })
    ).json();
  const source = await readFeature('checkout-v2');
  const getGroupIds = (feature: { environments: { strategies: { parameters: { groupId?: string } }[] }[] }) =>
    feature.environments.flatMap(({ strategies }) => strategies.map(({ parameters }) => parameters.groupId));

  expect(source.environments[0].enabled).toBe(true);
  for (const [name, group] of [
    ['checkout-v3', 'checkout-v3'],
    ['checkout-v4', 'checkout-v2'],
  ] as const) {
    const copy = await readFeature(name);
    expect(getGroupIds(copy)).toEqual([group, undefined, group, undefined]);
    expect(copy).toMatchObject({ description: source.description, type: 'release', stale: false });
    expect(copy.environments.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([false, false]);
    expect(copy.environments[0].strategies[0]).toMatchObject({
      title: 'Gradually',
      sortOrder: 0,
      segments: source.environments[0].strategies[0].segments,
      constraints: source.environments[0].strategies[0].constraints,
      variants: VARIANTS,
    });
    expect(copy.environments[0].strategies[0].id).not.toBe(source.environments[0].strategies[0].id);
  }
  expect((await readFeature('dark-mode-2')).environments[0].variants).toEqual(VARIANTS);
});

/** Unleash marks the copy as stale too. Halyard does not, because nobody marked the copy as stale. */
test('recorded: the copy of a stale source is not stale in Halyard', async () => {
  const { rows } = await sql<{ stale: boolean }>`
    select stale from features where name = 'old-banner-2'`.execute(harness.db);

  expect(rows).toEqual([{ stale: false }]);
});

test('recorded: a clone records one event for the new feature and one for each strategy', async () => {
  const { rows } = await sql<{ type: string; groups: number }>`
    select type, count(*) over () as total, (select count(distinct group_id) from events
      where feature_name = 'checkout-v3') as groups
    from events where feature_name = 'checkout-v3' order by id`.execute(harness.db);

  expect(rows.map(({ type }) => type)).toEqual(['feature-created', ...Array(4).fill('feature-strategy-add')]);
  expect(rows[0]?.groups).toBe(1);
});

test('recorded: project feature limit reached (featureLimit=2)', async () => {
  await sql`update projects set feature_limit = 2 where id = 'payments'`.execute(harness.db);
  const { status, body } = await send({
    name: 'limit',
    project: 'payments',
    feature: 'pay.checkout-v2',
    body: { name: 'pay.over-limit' },
    status: 403,
  });

  expect({ status, name: body.name }).toEqual({ status: 403, name: 'InvalidOperationError' });
});

test('recorded: two concurrent clones with the same name', async () => {
  const request = { name: 'race', body: { name: 'race-1' }, status: 201 };
  const responses = await Promise.all([send(request), send(request)]);

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});
