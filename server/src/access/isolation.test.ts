import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { MANY_REQUESTS } from '../test/campaign.ts';
import { makeProject, makeUser, type TestUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { listAdminOperations, type Operation } from '../test/operations.ts';
import { call } from '../test/request.ts';

const operations = listAdminOperations().filter(({ method }) => method === 'GET');

/** Strings that nobody outside the project may see. */
const SECRETS = ['project', 'flag', 'parent', 'link', 'segment', 'field', 'token', 'person'].map(
  what => `hush-${what}`,
);

const NONE = 999_999;
const harness = useHarness();
/** The values of each path parameter: a visible resource, a resource of the private project, a missing one. */
type Values = { open: string; hidden: string; missing: string };
const values: Record<string, Values> = {};
/** A Viewer, an Editor, and a member of another private project. */
const outsiders: TestUser[] = [];
let member: TestUser;
let before: string[] = [];

const post = async (path: string, body: object) => {
  const response = await call(harness.app, 'POST', `/api/admin/${path}`, { body });
  expect([path, response.status, response.body?.details]).toEqual([path, expect.any(Number), undefined]);
  expect(response.status).toBeLessThan(300);
  return response.body;
};

/** Creates the same resources in an open and in a private project. Both use the global segment. */
async function fill(project: string, prefix: string, globalSegment: number, owner: TestUser) {
  const at = `projects/${project}`;
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
  const segment = await post('segments', { name: `${prefix}-segment`, project, constraints });
  await post(`${at}/features`, { name: `${prefix}-flag` });
  const strategy = await post(`${at}/features/${prefix}-flag/environments/production/strategies`, {
    name: 'flexibleRollout',
    segments: [globalSegment, segment.id],
  });
  await post(`${at}/features/${prefix}-flag/environments/production/on`, {});
  const flag = `${at}/features/${prefix}-flag`;
  await post(`${at}/features`, { name: `${prefix}-parent` });
  await post(`${flag}/dependencies`, { feature: `${prefix}-parent` });
  await post(`${flag}/link`, { url: `https://example.com/${prefix}`, title: `${prefix}-link` });
  await post(`features/${prefix}-flag/tags`, { type: 'simple', value: 'shared' });
  await post(`${flag}/lifecycle/complete`, { status: 'kept' });
  await post(`${at}/context`, { name: `${prefix}-field` });
  for (const starred of [at, flag]) {
    await call(harness.app, 'POST', `/api/admin/${starred}/favorites`, { token: owner.token });
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
  await post(`${at}/access`, { roles: [4], users: [owner.id], groups: [group.id] });
  const { rows } = await sql<{ id: number }>`
    select max(id) as id from events where project = ${project}`.execute(harness.db);
  return { segment, strategy, token, group, event: rows[0]?.id ?? 0 };
}

/** The path of an operation with every combination of parameter values. */
function addresses(operation: Operation, kinds: (keyof Values)[]): string[] {
  const template = operation.path.replace('/events/{id}', '/events/{eventId}');
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? '');
  return names.reduce<string[]>(
    (paths, name) =>
      paths.flatMap(path =>
        kinds.map(kind => path.replace(`{${name}}`, encodeURIComponent(known(name)[kind]))),
      ),
    [template],
  );
}

function known(name: string): Values {
  const found = values[name];
  if (!found) throw new Error(`add values for the parameter {${name}}`);
  return found;
}

/** A response without the values that differ between two calls. */
const normalized = ({ status, body }: { status: number; body: unknown }): string =>
  JSON.stringify([status, body])
    .replace(/"id":"[0-9a-f-]{36}","name"/g, '"id":"…","name"')
    .replace(/"(seenAt|at)":"[^"]*"/g, '"$1":"…"');

/** Searches with filters that name a visible, hidden or missing resource. */
const searches = (kind: keyof Values): string[] =>
  [
    `project=IS:${known('projectId')[kind]}`,
    `project=IS_ANY_OF:default,${known('projectId')[kind]}`,
    `feature=IS:${known('featureName')[kind]}`,
    `query=${known('featureName')[kind]}`,
    `id=IS:${known('eventId')[kind]}`,
    `createdBy=IS:${known('userId')[kind]}`,
  ]
    .flatMap(query => [
      `/api/admin/search/events?${query}`,
      `/api/admin/search/events/export?${query}`,
      `/api/admin/search/events/counts?by=creator&${query}`,
    ])
    .concat(
      `/api/admin/search/features?project=IS:${known('projectId')[kind]}`,
      `/api/admin/search/features?query=${known('featureName')[kind]}`,
      `/api/admin/search/features?segment=INCLUDE:${known('projectId')[kind].replace('project', 'segment')}`,
      `/api/admin/search/features?createdBy=IS:${known('userId')[kind]}`,
    );

const readAll = async (user: TestUser, urls: string[]): Promise<string[]> => {
  const responses = [];
  for (const url of urls)
    responses.push(normalized(await call(harness.app, 'GET', url, { token: user.token })));
  return responses;
};

/** These describe the server itself. */
const OPERATIONAL = ['/internal-backstage/prometheus', '/health', '/ready'];
/** Lists all users for access pickers, including members of private projects. */
const OF_PEOPLE = ['/api/admin/user-admin/access'];
/** Other tests check who sees applications, and an OFREP stream has a secret URL. */
const isTestedElsewhere = (path: string) => path.includes('{appName}') || path.startsWith('/ofrep/');
const guarded = operations.filter(
  ({ path }) => ![...OPERATIONAL, ...OF_PEOPLE].includes(path) && !isTestedElsewhere(path),
);
const openUrls = () => [
  ...guarded.flatMap(operation => addresses(operation, ['open'])),
  ...searches('open'),
  '/api/admin/search/events?limit=1000',
  '/api/admin/search/features?limit=100',
  '/api/admin/search/features?tag=INCLUDE:simple:shared',
  '/api/admin/projects?archived=true',
];

beforeAll(async () => {
  const { db } = harness;
  member = await makeUser(db, 'Viewer', 'hush-person');
  for (const role of ['Viewer', 'Editor', 'Viewer'] as const) outsiders.push(await makeUser(db, role));
  const elsewhere = await makeProject(db, { id: 'other-private', mode: 'private' });
  await post(`projects/${elsewhere.id}/users/${outsiders[2]?.id}/roles/4`, {});
  await makeProject(db, { id: 'plain-project' });
  const owner = await makeUser(db, 'Viewer', 'plain-person');
  const everywhere = await post('segments', { name: 'global', constraints: [] });
  const open = await fill('plain-project', 'plain', everywhere.id, owner);

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
  setValues('userId', owner.id, member.id, NONE);
  const setCreated = (hidden: Awaited<ReturnType<typeof fill>>) => {
    setValues('id', open.segment.id, hidden.segment.id, NONE);
    setValues('strategyId', open.strategy.id, hidden.strategy.id, randomUUID());
    setValues('token', open.token.id, hidden.token.id, NONE);
    setValues('eventId', open.event, hidden.event, NONE);
    setValues('groupId', open.group.id, hidden.group.id, NONE);
  };
  setCreated(open);
  for (const user of outsiders) before = [...before, ...(await readAll(user, openUrls()))];

  await makeProject(db, { id: 'hush-project', name: 'hush-project', mode: 'private' });
  const hidden = await fill('hush-project', 'hush', everywhere.id, member);
  // The member changes something, and so becomes a creator of events.
  await call(harness.app, 'PUT', '/api/admin/projects/hush-project', {
    token: member.token,
    body: { name: 'hush-project', description: 'hush-project' },
  });
  setCreated(hidden);
});

test('a member sees every secret, which proves that there is something to hide', MANY_REQUESTS, async () => {
  const urls = ['', '/features', '/features/hush-flag', '/access', '/api-tokens'].map(
    path => `/api/admin/projects/hush-project${path}`,
  );
  const all = await readAll(member, [
    ...urls,
    '/api/admin/segments',
    '/api/admin/context',
    ...searches('hidden'),
  ]);

  for (const secret of SECRETS) expect(all.join('\n')).toContain(secret);
});

test(
  'a private project changes no name, count or total in the responses to outsiders',
  MANY_REQUESTS,
  async () => {
    let after: string[] = [];
    for (const user of outsiders) after = [...after, ...(await readAll(user, openUrls()))];

    expect(after.length).toBeGreaterThan(100);
    expect(after).toEqual(before);
    for (const secret of SECRETS) expect(after.join('\n')).not.toContain(secret);
  },
);

test.each(guarded.filter(({ path }) => path.includes('{')))(
  '$path responds to ids of the private project as to ids that do not exist',
  MANY_REQUESTS,
  async operation => {
    const hidden = addresses(operation, ['open', 'hidden']);
    const missing = addresses(operation, ['open', 'missing']);

    for (const user of outsiders) {
      const found = await readAll(user, hidden);
      const control = await readAll(user, missing);
      expect(found.map(neutral)).toEqual(control.map(neutral));
    }
  },
);

test(
  'a search for a hidden resource finds the same as a search for a missing one',
  MANY_REQUESTS,
  async () => {
    for (const user of outsiders) {
      expect((await readAll(user, searches('hidden'))).map(neutral)).toEqual(
        (await readAll(user, searches('missing'))).map(neutral),
      );
    }
  },
);

/** A response repeats the requested names. They are replaced, so that responses can be compared. */
function neutral(text: string): string {
  const asked = Object.values(values).flatMap(({ open, hidden, missing }) =>
    hidden === open ? [] : [hidden, missing],
  );
  return asked.reduce((rest, word) => rest.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), '?'), text);
}
