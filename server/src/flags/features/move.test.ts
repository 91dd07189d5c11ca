import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { during } from '../../test/during.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();

let count = 0;
const unique = (word: string) => `${word}-${++count}`;
const url = (project: string, path = '') => `/api/admin/projects/${project}${path}`;
const post = (path: string, body: object = {}): Promise<ApiResponse> =>
  call(harness.app, 'POST', path, { body });
const get = async (project: string, feature: string) =>
  (await call(harness.app, 'GET', url(project, `/features/${feature}`))).body;

async function project(fields: object = {}): Promise<string> {
  return (await makeProject(harness.db, fields)).id;
}
async function feature(where: string, name = unique('feature')): Promise<string> {
  expect((await post(url(where, '/features'), { name })).status).toBe(201);
  return name;
}
async function environment(): Promise<string> {
  const name = unique('env');
  await post('/api/admin/environments', { name, type: 'test' });
  return name;
}
const move = (from: string, name: string, to: unknown, token?: string): Promise<ApiResponse> =>
  call(harness.app, 'POST', url(from, `/features/${name}/changeProject`), {
    body: { newProjectId: to },
    ...(token === undefined ? {} : { token }),
  });
const addStrategy = async (where: string, name: string, place: string, body: object) =>
  (await post(url(where, `/features/${name}/environments/${place}/strategies`), body)).body;
const eventsOf = async (name: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${name}&limit=1000`)).body.events;

test('a moved feature keeps its parts, is disabled in new environments and loses the environments that the target does not have', async () => {
  const extra = await environment();
  const from = await project({ environments: ['development', 'production'] });
  const to = await project({ environments: ['production', extra] });
  const name = await feature(from);
  const kept = await addStrategy(from, name, 'production', { name: 'default', title: 'kept' });
  const lost = await addStrategy(from, name, 'development', { name: 'default', title: 'lost' });
  await post(url(from, `/features/${name}/environments/production/on`));
  const fan = await makeUser(harness.db, 'Viewer');
  await call(harness.app, 'POST', url(from, `/features/${name}/favorites`), { token: fan.token });
  await sql`insert into tags (type, value) values ('simple', 'moving') on conflict do nothing`.execute(
    harness.db,
  );
  await sql`insert into feature_tags (feature_name, type, value) values (${name}, 'simple', 'moving')`.execute(
    harness.db,
  );
  await sql`insert into feature_links (feature_name, url) values (${name}, 'https://example.com')`.execute(
    harness.db,
  );

  const response = await move(from, name, to);

  expect(response).toMatchObject({ status: 200, body: '' });
  expect((await call(harness.app, 'GET', url(from, `/features/${name}`))).status).toBe(404);
  const moved = await call(harness.app, 'GET', url(to, `/features/${name}`), { token: fan.token });
  expect(moved.body).toMatchObject({
    project: to,
    favorite: true,
    tags: [{ type: 'simple', value: 'moving' }],
    links: [{ url: 'https://example.com' }],
    environments: [
      { name: 'production', enabled: true, strategies: [kept] },
      { name: extra, enabled: false, strategies: [] },
    ],
  });
  const [last, ...before] = await eventsOf(name);
  const { featureName: _, ...strategy } = lost;
  expect(last).toMatchObject({
    type: 'feature-project-change',
    project: to,
    data: { oldProject: from, newProject: to, addedEnvironments: [extra] },
    preData: {
      removedEnvironments: [{ name: 'development', enabled: false, variants: [], strategies: [strategy] }],
    },
  });
  expect(new Set(before.map((event: { project: string }) => event.project))).toEqual(new Set([from]));
});

test('the event of a move out of a private project shows neither that project nor what the feature had there', async () => {
  const from = await project({ mode: 'private', environments: ['development', 'production'] });
  const to = await project({ environments: ['production'] });
  const name = await feature(from);
  await addStrategy(from, name, 'development', { name: 'default', title: 'secret' });

  await move(from, name, to);

  const [last] = await eventsOf(name);
  expect(last).toMatchObject({ type: 'feature-project-change', project: to, data: { newProject: to } });
  expect(JSON.stringify(last)).not.toMatch(new RegExp(`secret|"${from}"`));
});

test('a rejected move lists every obstacle and changes nothing', async () => {
  const extra = await environment();
  const from = await project({ environments: ['production', extra] });
  const to = await project({ environments: ['production'] });
  const [name, parent] = [await feature(from), await feature(from)];
  const segment = async (where: string | null) =>
    (await post('/api/admin/segments', { name: unique('segment'), project: where, constraints: [] })).body.id;
  const [own, global, unused] = [await segment(from), await segment(null), await segment(from)];
  const fields = ['tier', 'seat', 'desk', 'floor'].map(unique);
  const [tier = '', seat = '', desk = '', floor = ''] = fields;
  for (const field of fields)
    await sql`insert into context_fields (name, project) values (${field}, ${from})`.execute(harness.db);
  await addStrategy(from, name, 'production', {
    name: 'flexibleRollout',
    segments: [own, global],
    constraints: [{ contextName: tier, operator: 'IN', values: ['a'] }],
    parameters: { stickiness: seat },
  });
  await addStrategy(from, name, 'production', {
    name: 'default',
    variants: [{ name: 'a', weight: 1000, weightType: 'variable', stickiness: desk }],
  });
  await addStrategy(from, name, extra, { name: 'default', segments: [unused] });
  await sql`update feature_environments set variants = ${JSON.stringify([
    { name: 'a', weight: 1000, overrides: [{ contextName: floor, values: ['x'] }] },
  ])} where feature_name = ${name} and environment = 'production'`.execute(harness.db);
  await post(url(from, `/features/${name}/environments/${extra}/on`));
  await post(url(from, `/features/${name}/dependencies`), { feature: parent });

  const response = await move(from, name, to);
  const ofParent = await move(from, parent, to);

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(response.body.details.map(({ message }: { message: string }) => message)).toEqual([
    `Feature "${name}" is enabled in environment "${extra}", which project "${to}" does not have. Disable it there first.`,
    `Feature "${name}" uses segments of a different project: ${own}.`,
    `Feature "${name}" uses context fields of a different project: "${fields.toSorted().join('", "')}".`,
    `Feature "${name}" depends on "${parent}". Remove the dependency first.`,
  ]);
  expect(ofParent.body.message).toBe(
    `Feature "${parent}" is the parent of "${name}". Remove the dependency first.`,
  );
  expect(await get(from, name)).toMatchObject({ project: from });
  expect((await eventsOf(name))[0].type).toBe('feature-dependency-added');
});

test('the target project must exist, be active, be below its feature limit and accept the name', async () => {
  const from = await project();
  const [full, picky, archived] = [await project(), await project(), await project()];
  const name = await feature(from);
  await call(harness.app, 'PUT', url(full, '/settings'), { body: { featureLimit: 0 } });
  await call(harness.app, 'PUT', url(picky, '/settings'), {
    body: { featureNaming: { pattern: 'pay\\..+' } },
  });
  await post(url(`archive/${archived}`));

  const responses = [
    await move(from, name, full),
    await move(from, name, picky),
    await move(from, name, archived),
    await move(from, name, 'nowhere'),
    await move(from, 'nowhere', 'default'),
    await move(from, name, ''),
    await move(from, name, 5),
  ];

  expect(responses.map(({ status, body }) => [status, body.name])).toEqual([
    [403, 'InvalidOperationError'],
    [400, 'PatternError'],
    [404, 'NotFoundError'],
    [404, 'NotFoundError'],
    [404, 'NotFoundError'],
    [400, 'BadDataError'],
    [400, 'BadDataError'],
  ]);
  expect(await eventsOf(name)).toHaveLength(1);
});

test('lists the naming pattern, the feature limit and the obstacles of the feature together', async () => {
  const from = await project();
  const to = await project();
  const [name, parent] = [await feature(from), await feature(from)];
  await post(url(from, `/features/${name}/dependencies`), { feature: parent });
  await call(harness.app, 'PUT', url(to, '/settings'), {
    body: { featureLimit: 0, featureNaming: { pattern: 'pay\\..+' } },
  });

  const response = await move(from, name, to);

  expect(response).toMatchObject({
    status: 400,
    body: { name: 'PatternError', message: 'The move is rejected for 3 reasons, listed in details.' },
  });
  expect(response.body.details.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringContaining('pay\\..+'),
    expect.stringContaining('a limit of 0'),
    `Feature "${name}" depends on "${parent}". Remove the dependency first.`,
  ]);
  expect(await get(from, name)).toMatchObject({ project: from });
});

test('a move to the same project changes nothing, even in a full project, and an archived feature cannot be moved', async () => {
  const from = await project();
  const name = await feature(from);
  await call(harness.app, 'PUT', url(from, '/settings'), { body: { featureLimit: 1 } });

  const same = await move(from, name, from);
  await call(harness.app, 'DELETE', url(from, `/features/${name}`));
  const archived = await move(from, name, 'default');

  expect(same).toMatchObject({ status: 200, body: '' });
  expect(archived).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await eventsOf(name)).toHaveLength(2);
});

test('a move requires the permission in both projects, and rejects a hidden project with 404', async () => {
  const [from, to, hidden] = [await project(), await project(), await project({ mode: 'private' })];
  const name = await feature(from);
  const [owner, member] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, owner, from, 'Owner');
  await makeMember(harness.db, owner, to, 'Member');
  await makeMember(harness.db, member, from, 'Member');
  await makeMember(harness.db, member, to, 'Owner');

  const half = await move(from, name, to, owner.token);
  const other = await move(from, name, to, member.token);
  const secret = await move(from, name, hidden, owner.token);
  const missing = await move(from, name, 'nowhere', owner.token);
  await makeMember(harness.db, owner, to, 'Owner');
  const both = await move(from, name, to, owner.token);

  expect([half, other].map(({ body }) => body.name)).toEqual(['NoAccessError', 'NoAccessError']);
  expect(half.body.message).toContain('MOVE_FEATURE_TOGGLE');
  expect([secret.status, missing.status]).toEqual([404, 404]);
  expect(secret.body.message.replace(hidden, '')).toBe(missing.body.message.replace('nowhere', ''));
  expect(both.status).toBe(200);
});

test('a concurrent move and creation cannot both reach the feature limit', async () => {
  const [from, to] = [await project(), await project()];
  const name = await feature(from);
  await call(harness.app, 'PUT', url(to, '/settings'), { body: { featureLimit: 1 } });

  const responses = await during(
    harness.db,
    tx => sql`select from projects where id = ${to} for update`.execute(tx),
    () => Promise.all([move(from, name, to), post(url(to, '/features'), { name: unique('created') })]),
    2,
  );

  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter(status => status === 403)).toHaveLength(1);
  expect(statuses.filter(status => status < 300)).toHaveLength(1);
});

test('a move waits for a concurrent creation that reaches the feature limit', async () => {
  const [from, to] = [await project(), await project()];
  const name = await feature(from);
  await call(harness.app, 'PUT', url(to, '/settings'), { body: { featureLimit: 1 } });

  const response = await during(
    harness.db,
    async tx => {
      await sql`select from projects where id = ${to} for no key update`.execute(tx);
      await tx
        .insertInto('features')
        .values({ name: unique('f'), project: to, type: 'release' })
        .execute();
    },
    () => move(from, name, to),
  );

  expect(response).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('a move that waited checks the current state of the feature', async () => {
  const extra = await environment();
  const from = await project({ environments: ['production', extra] });
  const to = await project({ environments: ['production'] });
  const [switched, tied, parent] = [await feature(from), await feature(from), await feature(from)];

  const on = await during(
    harness.db,
    async tx => {
      await sql`select from features where name = ${switched} for update`.execute(tx);
      await sql`update feature_environments set enabled = true
        where feature_name = ${switched} and environment = ${extra}`.execute(tx);
    },
    () => move(from, switched, to),
  );
  const child = await during(
    harness.db,
    tx => tx.insertInto('feature_dependencies').values({ child: tied, parent }).execute(),
    () => move(from, tied, to),
  );

  expect([on.status, child.status]).toEqual([403, 403]);
});

test('a change that waited for a move is rejected with 404', async () => {
  const [from, to] = [await project(), await project()];
  const [name, parent] = [await feature(from), await feature(from)];

  const responses = await during(
    harness.db,
    tx => sql`update features set project = ${to} where name = ${name}`.execute(tx),
    () =>
      Promise.all([
        call(harness.app, 'PUT', url(from, `/features/${name}`), { body: { stale: true } }),
        post(url(from, `/features/${name}/environments/production/on`)),
        post(url(from, `/features/${name}/dependencies`), { feature: parent }),
        move(from, name, 'default'),
      ]),
    4,
  );

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(await get(to, name)).toMatchObject({ stale: false, enabled: false, dependencies: [] });
});

test('a move and a concurrent deletion of the target project exclude each other', async () => {
  const [from, going, staying] = [await project(), await project(), await project()];
  const name = await feature(from);

  const late = await during(
    harness.db,
    tx => sql`delete from projects where id = ${going}`.execute(tx),
    () => move(from, name, going),
  );
  const refused = await during(
    harness.db,
    async tx => {
      await sql`select from projects where id = ${staying} for no key update`.execute(tx);
      await sql`update features set project = ${staying} where name = ${name}`.execute(tx);
    },
    () => call(harness.app, 'DELETE', url(staying)),
  );

  expect(late.status).toBe(404);
  expect(refused).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  expect(await get(staying, name)).toMatchObject({ name });
});

test('a move does not add an environment that is deleted meanwhile', async () => {
  const removed = await environment();
  const from = await project({ environments: ['production'] });
  const to = await project({ environments: ['production', removed] });
  const name = await feature(from);

  const response = await during(
    harness.db,
    async tx => {
      await sql`select from environments order by name for update`.execute(tx);
      await sql`delete from environments where name = ${removed}`.execute(tx);
    },
    () => move(from, name, to),
  );

  expect(response.status).toBe(200);
  expect((await get(to, name)).environments).toMatchObject([{ name: 'production' }]);
});

test('a moved feature does not get an environment that the old project gets during the move', async () => {
  const added = await environment();
  const from = await project({ environments: ['production'] });
  const to = await project({ environments: ['production'] });
  const name = await feature(from);
  const segment = (await post('/api/admin/segments', { name: unique('s'), constraints: [] })).body.id;
  await addStrategy(from, name, 'production', { name: 'default', segments: [segment] });

  const responses = await during(
    harness.db,
    // Half-way through the move, when it already holds the feature, it needs the segment.
    tx => sql`select from segments where id = ${segment} for update`.execute(tx),
    async () => {
      const moving = move(from, name, to);
      await untilWaiting(harness.db);
      return await Promise.all([moving, post(url(from, '/environments'), { environment: added })]);
    },
    2,
  );

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect((await get(to, name)).environments).toMatchObject([{ name: 'production' }]);
});

test('a move is rejected if a segment becomes one of the old project meanwhile', async () => {
  const [from, to] = [await project(), await project()];
  const name = await feature(from);
  const segment = (await post('/api/admin/segments', { name: unique('s'), constraints: [] })).body.id;
  await addStrategy(from, name, 'production', { name: 'default', segments: [segment] });

  const response = await during(
    harness.db,
    async tx => {
      await sql`select from segments where id = ${segment} for update`.execute(tx);
      await sql`update segments set project = ${from} where id = ${segment}`.execute(tx);
    },
    () => move(from, name, to),
  );

  expect(response.body.message).toBe(`Feature "${name}" uses segments of a different project: ${segment}.`);
});

test('two moves in opposite directions do not deadlock', async () => {
  const [first = '', last = ''] = [await project(), await project()].toSorted();
  const [here, there] = [await feature(first), await feature(last)];

  const responses = await during(
    harness.db,
    tx => sql`select from projects where id = ${last} for update`.execute(tx),
    async () => {
      const leavingLast = move(last, there, first);
      await untilWaiting(harness.db);
      return await Promise.all([leavingLast, move(first, here, last)]);
    },
    2,
  );

  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
});

test('a move takes the same number of statements for 1 and for 12 environments and strategies', async () => {
  const environments = await Promise.all(Array.from({ length: 12 }, environment));
  const segments = await Promise.all(
    environments.map(
      async () => (await post('/api/admin/segments', { name: unique('s'), constraints: [] })).body.id,
    ),
  );
  const statementsFor = async (size: number) => {
    const from = await project({ environments: ['production', ...environments.slice(0, size)] });
    const to = await project({ environments: environments.slice(0, size) });
    const name = await feature(from);
    for (const [index, place] of environments.slice(0, size).entries()) {
      const constraints = [{ contextName: 'userId', operator: 'IN', values: ['1'] }];
      await addStrategy(from, name, place, { name: 'default', segments: [segments[index]], constraints });
    }
    const before = harness.statements.length;
    expect((await move(from, name, to)).status).toBe(200);
    return harness.statements.length - before;
  };

  expect(await statementsFor(12)).toBe(await statementsFor(1));
});
