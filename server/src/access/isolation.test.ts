import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { MANY_REQUESTS } from '../test/campaign.ts';
import { makeProject, makeUser, type TestUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { listAdminOperations, type Operation } from '../test/operations.ts';
import { call } from '../test/request.ts';

const operations = listAdminOperations().filter(({ method }) => method === 'GET');

/** Strings that only members of the private project can see. */
const SECRETS = ['project', 'flag', 'parent', 'link', 'segment', 'field', 'token', 'person'].map(
  what => `hush-${what}`,
);

const MISSING_ID = 999_999;
const harness = useHarness();
/** The values of a path parameter: a visible resource, a resource in the private project and a missing resource. */
type Values = { open: string; hidden: string; missing: string };
const values: Record<string, Values> = {};
/** The outsiders are a Viewer, an Editor, and a member of a different private project. */
const outsiders: TestUser[] = [];
let member: TestUser;
let responsesBefore: string[] = [];

const post = async (path: string, body: object) => {
  const response = await call(harness.app, 'POST', `/api/admin/${path}`, { body });
  expect([path, response.status, response.body?.details]).toEqual([path, expect.any(Number), undefined]);
  expect(response.status).toBeLessThan(300);
  return response.body;
};

/** Fills a project with resources, the same in the open and in the private project. Both use the global segment. */
async function fillProject(project: string, prefix: string, globalSegment: number, owner: TestUser) {
  const projectPath = `projects/${project}`;
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
  const segment = await post('segments', { name: `${prefix}-segment`, project, constraints });
  await post(`${projectPath}/features`, { name: `${prefix}-flag` });
  const strategy = await post(`${projectPath}/features/${prefix}-flag/environments/production/strategies`, {
    name: 'flexibleRollout',
    segments: [globalSegment, segment.id],
  });
  await post(`${projectPath}/features/${prefix}-flag/environments/production/on`, {});
  const flag = `${projectPath}/features/${prefix}-flag`;
  await post(`${projectPath}/features`, { name: `${prefix}-parent` });
  await post(`${flag}/dependencies`, { feature: `${prefix}-parent` });
  await post(`${flag}/link`, { url: `https://example.com/${prefix}`, title: `${prefix}-link` });
  await post(`features/${prefix}-flag/tags`, { type: 'simple', value: 'shared' });
  await post(`${flag}/lifecycle/complete`, { status: 'kept' });
  await post(`${projectPath}/context`, { name: `${prefix}-field` });
  for (const favoritePath of [projectPath, flag]) {
    await call(harness.app, 'POST', `/api/admin/${favoritePath}/favorites`, { token: owner.token });
  }
  const token = await post('api-tokens', {
    tokenName: `${prefix}-token`,
    type: 'backend',
    environment: 'production',
    projects: [project],
  });
  await post('api-tokens', {
    tokenName: `${prefix}-token-for-two`,
    type: 'frontend',
    environment: 'production',
    projects: [project, 'default'],
  });
  const group = await post('groups', { name: `${prefix} group`, users: [{ user: { id: owner.id } }] });
  await post(`${projectPath}/access`, { roles: [4], users: [owner.id], groups: [group.id] });
  const { rows } = await sql<{ id: number }>`
    select max(id) as id from events where project = ${project}`.execute(harness.db);
  return { segment, strategy, token, group, event: rows[0]?.id ?? 0 };
}

/** Returns the URLs of an operation with every combination of parameter values. */
function buildUrls(operation: Operation, kinds: (keyof Values)[]): string[] {
  const template = operation.path.replace('/events/{id}', '/events/{eventId}');
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');
  return names.reduce<string[]>(
    (paths, name) =>
      paths.flatMap(path =>
        kinds.map(kind => path.replace(`{${name}}`, encodeURIComponent(getValues(name)[kind]))),
      ),
    [template],
  );
}

function getValues(name: string): Values {
  const found = values[name];
  if (!found) throw new Error(`add values for the parameter {${name}}`);
  return found;
}

/** Returns a response without the values that change with each call. */
const removeVolatileValues = ({ status, body }: { status: number; body: unknown }): string =>
  JSON.stringify([status, body])
    .replace(/"id":"[0-9a-f-]{36}","name"/g, '"id":"…","name"')
    .replace(/"(seenAt|at)":"[^"]*"/g, '"$1":"…"');

/** Searches with filters that name a visible, hidden or missing resource. */
const buildSearchUrls = (kind: keyof Values): string[] =>
  [
    `project=IS:${getValues('projectId')[kind]}`,
    `project=IS_ANY_OF:default,${getValues('projectId')[kind]}`,
    `feature=IS:${getValues('featureName')[kind]}`,
    `query=${getValues('featureName')[kind]}`,
    `id=IS:${getValues('eventId')[kind]}`,
    `createdBy=IS:${getValues('userId')[kind]}`,
  ]
    .flatMap(query => [
      `/api/admin/search/events?${query}`,
      `/api/admin/search/events/export?${query}`,
      `/api/admin/search/events/counts?by=creator&${query}`,
    ])
    .concat(
      `/api/admin/search/features?project=IS:${getValues('projectId')[kind]}`,
      `/api/admin/search/features?query=${getValues('featureName')[kind]}`,
      `/api/admin/search/features?segment=INCLUDE:${getValues('projectId')[kind].replace('project', 'segment')}`,
      `/api/admin/search/features?createdBy=IS:${getValues('userId')[kind]}`,
    );

const readAll = async (user: TestUser, urls: string[]): Promise<string[]> => {
  const responses = [];
  for (const url of urls)
    responses.push(removeVolatileValues(await call(harness.app, 'GET', url, { token: user.token })));
  return responses;
};

/** The paths of operations that describe the server itself. */
const SERVER_PATHS = ['/internal-backstage/prometheus', '/health', '/ready'];
/** The operation that lists all users for access pickers, including members of private projects. */
const PEOPLE_PATHS = ['/api/admin/user-admin/access'];
/** Returns whether this file omits the path: other tests check who can see applications, and an OFREP stream has a secret URL. */
const isTestedElsewhere = (path: string) => path.includes('{appName}') || path.startsWith('/ofrep/');
const guardedOperations = operations.filter(
  ({ path }) => ![...SERVER_PATHS, ...PEOPLE_PATHS].includes(path) && !isTestedElsewhere(path),
);
const buildOpenUrls = () => [
  ...guardedOperations.flatMap(operation => buildUrls(operation, ['open'])),
  ...buildSearchUrls('open'),
  '/api/admin/search/events?limit=1000',
  '/api/admin/search/features?limit=100',
  '/api/admin/search/features?tag=INCLUDE:simple:shared',
  '/api/admin/projects?archived=true',
];

beforeAll(async () => {
  const { db } = harness;
  member = await makeUser(db, 'Viewer', 'hush-person');
  for (const role of ['Viewer', 'Editor', 'Viewer'] as const) outsiders.push(await makeUser(db, role));
  const otherProject = await makeProject(db, { id: 'other-private', mode: 'private' });
  await post(`projects/${otherProject.id}/users/${outsiders[2]?.id}/roles/4`, {});
  await makeProject(db, { id: 'plain-project' });
  const owner = await makeUser(db, 'Viewer', 'plain-person');
  const sharedSegment = await post('segments', { name: 'global', constraints: [] });
  const openProject = await fillProject('plain-project', 'plain', sharedSegment.id, owner);

  const setValues = (
    name: string,
    visible: string | number,
    hidden: string | number,
    missing: string | number,
  ) => {
    values[name] = { open: String(visible), hidden: String(hidden), missing: String(missing) };
  };
  for (const [parameter, what] of [
    ['projectId', 'project'],
    ['featureName', 'flag'],
    ['contextField', 'field'],
  ] as const) {
    setValues(parameter, `plain-${what}`, `hush-${what}`, `none-${what}`);
  }
  for (const [parameter, value] of [
    ['environment', 'production'],
    ['strategyName', 'default'],
    ['name', 'simple'],
    ['type', 'simple'],
    ['value', 'none'],
    ['roleId', '4'],
  ] as const) {
    setValues(parameter, value, value, value);
  }
  setValues('userId', owner.id, member.id, MISSING_ID);
  const setResourceIds = (hidden: Awaited<ReturnType<typeof fillProject>>) => {
    setValues('id', openProject.segment.id, hidden.segment.id, MISSING_ID);
    setValues('strategyId', openProject.strategy.id, hidden.strategy.id, randomUUID());
    setValues('token', openProject.token.id, hidden.token.id, MISSING_ID);
    setValues('eventId', openProject.event, hidden.event, MISSING_ID);
    setValues('groupId', openProject.group.id, hidden.group.id, MISSING_ID);
  };
  setResourceIds(openProject);
  for (const user of outsiders)
    responsesBefore = [...responsesBefore, ...(await readAll(user, buildOpenUrls()))];

  await makeProject(db, { id: 'hush-project', name: 'hush-project', mode: 'private' });
  const hidden = await fillProject('hush-project', 'hush', sharedSegment.id, member);
  // The member makes a change, so that events name the member as their creator.
  await call(harness.app, 'PUT', '/api/admin/projects/hush-project', {
    token: member.token,
    body: { name: 'hush-project', description: 'hush-project' },
  });
  setResourceIds(hidden);
});

test('a member of the private project sees every secret', MANY_REQUESTS, async () => {
  const urls = ['', '/features', '/features/hush-flag', '/access', '/api-tokens'].map(
    path => `/api/admin/projects/hush-project${path}`,
  );
  const all = await readAll(member, [
    ...urls,
    '/api/admin/segments',
    '/api/admin/context',
    ...buildSearchUrls('hidden'),
  ]);

  for (const secret of SECRETS) expect(all.join('\n')).toContain(secret);
});

test(
  'a private project changes no name, count or total in the responses to outsiders',
  MANY_REQUESTS,
  async () => {
    let responsesAfter: string[] = [];
    for (const user of outsiders)
      responsesAfter = [...responsesAfter, ...(await readAll(user, buildOpenUrls()))];

    expect(responsesAfter.length).toBeGreaterThan(100);
    expect(responsesAfter).toEqual(responsesBefore);
    for (const secret of SECRETS) expect(responsesAfter.join('\n')).not.toContain(secret);
  },
);

test.each(guardedOperations.filter(({ path }) => path.includes('{')))(
  '$path gives outsiders the same responses for ids in the private project as for missing ids',
  MANY_REQUESTS,
  async operation => {
    const hidden = buildUrls(operation, ['open', 'hidden']);
    const missing = buildUrls(operation, ['open', 'missing']);

    for (const user of outsiders) {
      const hiddenResponses = await readAll(user, hidden);
      const missingResponses = await readAll(user, missing);
      expect(hiddenResponses.map(removeRequestedNames)).toEqual(missingResponses.map(removeRequestedNames));
    }
  },
);

test(
  'a search for a hidden resource gives outsiders the same result as a search for a missing resource',
  MANY_REQUESTS,
  async () => {
    for (const user of outsiders) {
      expect((await readAll(user, buildSearchUrls('hidden'))).map(removeRequestedNames)).toEqual(
        (await readAll(user, buildSearchUrls('missing'))).map(removeRequestedNames),
      );
    }
  },
);

/** Replaces names and ids that a response may repeat from the request, so that responses can be compared. */
function removeRequestedNames(text: string): string {
  const requestedNames = Object.values(values).flatMap(({ open, hidden, missing }) =>
    hidden === open ? [] : [hidden, missing],
  );
  return requestedNames.reduce((rest, word) => rest.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), '?'), text);
}
