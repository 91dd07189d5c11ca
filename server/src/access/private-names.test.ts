import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { MANY_REQUESTS } from '../test/campaign.ts';
import { makeMember, makeProject, makeUser, type TestUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { listAdminOperations } from '../test/operations.ts';
import { type ApiResponse, call } from '../test/request.ts';

/** All names in the private project have this prefix, and no other names do. */
const SECRET = 'zqx';
const PRIVATE = 'zqx-project';

const harness = useHarness();
/** A Viewer, an Editor, and a member of the project who was removed from it. */
const outsiders: TestUser[] = [];
let member: TestUser;
/** Values of path parameters. Every combination is tried. */
const values: Record<string, string[]> = {};

async function post(path: string, body: object, token?: string): Promise<ApiResponse['body']> {
  const response = await call(harness.app, 'POST', `/api/admin/${path}`, {
    body,
    ...(token === undefined ? {} : { token }),
  });
  expect(response.status, `${path} ${JSON.stringify(response.body)}`).toBeLessThan(300);
  return response.body;
}

const webhook = (projects: string[]) => ({
  provider: 'webhook',
  enabled: true,
  parameters: { url: 'http://127.0.0.1:9/' },
  events: ['*'],
  projects,
});

beforeAll(async () => {
  const { db } = harness;
  member = await makeUser(db, 'Editor', 'insider');
  for (const role of ['Viewer', 'Editor', 'Editor'] as const) outsiders.push(await makeUser(db, role));
  const [, , removedUser] = outsiders;
  await makeProject(db, { id: PRIVATE, name: PRIVATE, mode: 'private' });
  await makeProject(db, { id: 'open-project', environments: ['development'] });
  for (const user of [member, ...(removedUser ? [removedUser] : [])])
    await makeMember(db, user, PRIVATE, 'Owner');
  await makeMember(db, member, 'open-project', 'Owner');

  const { token } = member;
  const featuresPath = `projects/${PRIVATE}/features`;
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
  const segment = await post('segments', { name: 'zqx-segment', project: PRIVATE, constraints }, token);
  const sharedSegment = await post('segments', { name: 'shared-segment', constraints }, token);
  const field = { name: 'zqx-field', description: 'zqx-text', legalValues: [{ value: 'zqx-legal' }] };
  await post(`projects/${PRIVATE}/context`, field, token);
  for (const name of ['zqx-flag', 'zqx-parent', 'moved-flag', 'zqx-source', 'zqx-archived'])
    await post(
      featuresPath,
      // A clone copies tags and a move keeps them, so these two flags have none.
      { name, tags: /source|moved/.test(name) ? [] : [{ type: 'simple', value: `${name}-tag` }] },
      token,
    );
  const strategy = await post(
    `${featuresPath}/zqx-flag/environments/development/strategies`,
    {
      name: 'flexibleRollout',
      segments: [segment.id, sharedSegment.id],
      parameters: { stickiness: 'userId' },
    },
    token,
  );
  await post(`${featuresPath}/zqx-flag/environments/development/on`, {}, token);
  await post(`${featuresPath}/zqx-flag/dependencies`, { feature: 'zqx-parent' }, token);
  await post(`${featuresPath}/zqx-flag/link`, { url: 'https://example.com/zqx', title: 'zqx-link' }, token);
  await post(`${featuresPath}/zqx-flag/favorites`, {}, token);
  await post('tags', { type: 'simple', value: 'zqx-created-first' }, token);
  await post('features/zqx-flag/tags', { type: 'simple', value: 'zqx-created-first' }, token);
  await post('features/zqx-flag/tags', { type: 'simple', value: 'zqx-removed' }, token);
  await call(harness.app, 'DELETE', '/api/admin/features/zqx-flag/tags/simple/zqx-removed', { token });
  await post(`projects/${PRIVATE}/archive`, { features: ['zqx-archived'] }, token);
  await post(`projects/${PRIVATE}/api-tokens`, {
    tokenName: 'zqx-token',
    type: 'client',
    environment: 'development',
    projects: [PRIVATE],
  });
  await post('api-tokens', {
    tokenName: 'zqx-token-for-two',
    type: 'client',
    environment: 'development',
    projects: [PRIVATE, 'open-project'],
  });
  await post('addons', webhook([PRIVATE]));
  const mixedIntegration = await post('addons', webhook(['open-project', PRIVATE]));
  await post('service-account', { name: 'robot', username: 'robot', rootRole: 3 });
  await post('features-batch/export', { project: PRIVATE, environment: 'development' }, token);
  // The member makes a segment global, moves a flag to an open project and clones a flag into the open project.
  const publishedSegment = await post(
    'segments',
    { name: 'zqx-before', project: PRIVATE, constraints: [{ ...constraints[0], values: ['zqx-value'] }] },
    token,
  );
  const publish = { name: 'published-segment', project: null, constraints };
  await call(harness.app, 'PUT', `/api/admin/segments/${publishedSegment.id}`, { token, body: publish });
  await post(
    `${featuresPath}/moved-flag/environments/production/strategies`,
    { name: 'default', title: 'zqx-strategy' },
    token,
  );
  await post(`${featuresPath}/moved-flag/changeProject`, { newProjectId: 'open-project' }, token);
  await post(`${featuresPath}/zqx-source/clone`, { name: 'copied-flag', project: 'open-project' }, token);
  // Changes by outsiders.
  const editor = String(outsiders[1]?.token);
  await call(harness.app, 'PUT', `/api/admin/addons/${mixedIntegration.id}`, {
    token: editor,
    body: { ...webhook(['open-project']), description: 'changed by an outsider' },
  });
  const tagType = await post('tag-types', { name: 'short' }, editor);
  await post('features/zqx-flag/tags', { type: tagType.name, value: 'zqx-short' }, token);
  await call(harness.app, 'DELETE', '/api/admin/tag-types/short', { token: editor });
  await sql`delete from user_roles where user_id = ${removedUser?.id} and project is not null`.execute(db);

  const { rows } = await sql<{ id: number }>`select id from events order by id desc limit 60`.execute(db);
  Object.assign(values, {
    projectId: ['open-project', 'default', PRIVATE],
    featureName: ['moved-flag', 'copied-flag', 'zqx-flag'],
    contextField: ['userId', 'zqx-field'],
    environment: ['development'],
    strategyName: ['flexibleRollout'],
    name: ['simple', 'flexibleRollout', 'development'],
    type: ['simple'],
    value: ['zqx-flag-tag', 'zqx-removed'],
    roleId: ['4'],
    userId: [String(member.id)],
    id: [
      '1',
      '2',
      '3',
      String(segment.id),
      String(sharedSegment.id),
      String(publishedSegment.id),
      String(mixedIntegration.id),
    ],
    strategyId: [strategy.id],
    token: ['1', '2', '3'],
    eventId: rows.map(row => String(row.id)),
    groupId: ['1'],
  });
});

const buildUrls = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].reduce<string[]>(
    (paths, [slot, name = '']) =>
      paths.flatMap(partialPath =>
        (values[name] ?? []).map(value => partialPath.replace(slot, encodeURIComponent(value))),
      ),
    [path],
  );

/** POST operations that only read. */
const READS: [string, object][] = [
  ['features-batch/export', { project: 'open-project', environment: 'development' }],
  ['playground', { environment: 'development', projects: '*', context: { appName: 'x' } }],
  ['playground/advanced', { environments: ['development'], projects: '*', context: { appName: 'x' } }],
];

const SEARCHES = [
  '/api/admin/search/events?limit=1000',
  '/api/admin/search/events?limit=1000&query=zqx',
  '/api/admin/search/features?limit=100',
  '/api/admin/search/features?query=zqx',
  '/api/admin/projects?archived=true',
];

/** Returns a line for every response that contains a name from the private project that is not in the request. */
async function findLeaks({ token }: TestUser): Promise<string[]> {
  const paths = listAdminOperations()
    .filter(({ method }) => method === 'GET')
    .flatMap(({ path }) => buildUrls(path.replace('/events/{id}', '/events/{eventId}')));
  const found: string[] = [];
  for (const url of [...paths, ...SEARCHES]) {
    const { status, body } = await call(harness.app, 'GET', url, { token });
    const requestedNames = [...url.matchAll(/zqx[\w-]*/g)].map(([name]) => name);
    const text = requestedNames.reduce((rest, name) => rest.replaceAll(name, ''), JSON.stringify(body));
    if (text.includes(SECRET))
      found.push(`${status} ${url} …${text.slice(text.indexOf(SECRET) - 120, text.indexOf(SECRET) + 60)}`);
  }
  for (const [path, body] of READS) {
    const response = await call(harness.app, 'POST', `/api/admin/${path}`, { token, body });
    const text = JSON.stringify(response.body);
    if (text.includes(SECRET)) found.push(`${response.status} POST ${path} ${text}`);
  }
  return found;
}

test('a member of the private project sees names from it', MANY_REQUESTS, async () => {
  const found = (await findLeaks(member)).map(line => line.split(' ')[1]);

  for (const path of [
    '/api/admin/addons',
    '/api/admin/tags',
    '/api/admin/search/events?limit=1000',
    '/api/admin/projects',
  ])
    expect(found).toContain(path);
});

test.each([
  ['a Viewer', 0],
  ['an Editor', 1],
  ['a user who was removed from the project', 2],
] as const)(
  'no response to %s contains a name from the private project',
  MANY_REQUESTS,
  async (_who, index) => {
    expect(await findLeaks(outsiders[index] as TestUser)).toEqual([]);
  },
);

test('rejecting a taken name does not reveal the private project that uses it', async () => {
  const token = String(outsiders[1]?.token);
  const attempts: [string, object][] = [
    ['projects/default/features', { name: 'zqx-flag' }],
    ['projects', { name: 'x', id: PRIVATE }],
    ['segments', { name: 'zqx-segment', constraints: [] }],
    ['context', { name: 'zqx-field' }],
    ['features/validate', { name: 'zqx-flag' }],
    ['projects/default/features/zqx-flag/clone', { name: 'x-1' }],
    ['projects/default/features/copied-flag/clone', { name: 'zqx-flag', project: 'default' }],
    ['features-batch/export', { features: ['zqx-flag'], environment: 'development' }],
  ];
  for (const [path, body] of attempts) {
    const response = await call(harness.app, 'POST', `/api/admin/${path}`, { token, body });
    const text = Object.values(body).reduce<string>(
      (rest, value) => rest.replaceAll(String(value), ''),
      JSON.stringify(response.body).replaceAll('zqx-flag', ''),
    );
    expect([path, response.status >= 400, text.includes(SECRET)]).toEqual([path, true, false]);
  }
});
