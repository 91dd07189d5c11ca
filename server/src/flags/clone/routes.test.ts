import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../platform/config.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type Answer, call } from '../../test/request.ts';
import { insertRichFeature, insertSegment } from '../../test/rich-feature.ts';
import { untilWaiting } from '../../test/waiting.ts';

const harness = useHarness();
const P = '/api/admin/projects';

type Body = Record<string, unknown>;
type Told = { type: string; environment: string | null; data: Body; preData: Body; groupId: string };

const clone = (
  source: string,
  body: Body,
  { project = 'default', token, query = '' }: { project?: string; token?: string; query?: string } = {},
): Promise<Answer> =>
  call(harness.app, 'POST', `${P}/${project}/features/${source}/clone${query}`, {
    body,
    ...(token === undefined ? {} : { token }),
  });
const cloneMany = (project: string, body: Body, query = '') =>
  call(harness.app, 'POST', `${P}/${project}/clone${query}`, { body });
const get = async (name: string, project = 'default') =>
  (await call(harness.app, 'GET', `${P}/${project}/features/${name}`)).body;
const eventsOf = async (feature: string): Promise<Told[]> =>
  (await call(harness.app, 'GET', `/api/admin/search/events?feature=IS:${feature}`)).body.events.toReversed();
const messages = ({ body }: Answer): string[] =>
  body.details.map((detail: { message: string }) => detail.message);

const ROLLOUT = {
  name: 'flexibleRollout',
  title: 'Slowly',
  sortOrder: 3,
  parameters: { rollout: '25', stickiness: 'userId', groupId: 'rich' },
  constraints: [
    {
      contextName: 'country',
      operator: 'IN' as const,
      values: ['CZ'],
      inverted: false,
      caseInsensitive: false,
    },
  ],
  variants: [{ name: 'blue', weight: 1_000, weightType: 'variable' as const, stickiness: 'default' }],
};

/** A feature that has one of everything. */
async function makeRich(name: string, fields: Partial<Parameters<typeof insertRichFeature>[1]> = {}) {
  const parent = `${name}-parent`;
  if (!fields.dependencies)
    await insertRichFeature(harness.db, {
      name: parent,
      ...(fields.project ? { project: fields.project } : {}),
    });
  const segment = await insertSegment(harness.db, `segment of ${name}`);
  await insertRichFeature(harness.db, {
    name,
    type: 'experiment',
    description: 'Everything',
    impressionData: true,
    stale: true,
    tags: [{ type: 'simple', value: 'checkout' }],
    dependencies: [{ feature: parent, enabled: true, variants: ['blue'] }],
    links: ['https://example.com'],
    environments: {
      development: {
        enabled: true,
        strategies: [{ ...ROLLOUT, segments: [segment] }, { disabled: true }],
        variants: [{ name: 'red', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
      },
      production: { strategies: [{ name: 'remoteAddress', parameters: { IPs: '127.0.0.1' } }] },
    },
    ...fields,
  });
  return { segment, parent };
}

test('a copy has what its source is made of, is off everywhere and not stale, and knows where it comes from', async () => {
  const { segment } = await makeRich('rich');

  const copied = await clone('rich', { name: 'rich-2' });

  expect(copied).toMatchObject({
    status: 200,
    body: {
      name: 'rich-2',
      project: 'default',
      type: 'experiment',
      description: 'Everything',
      impressionData: true,
      stale: false,
      enabled: false,
      archived: false,
      clonedFrom: { project: 'default', feature: 'rich' },
      createdBy: { id: -42 },
      tags: [{ type: 'simple', value: 'checkout' }],
      dependencies: [{ feature: 'rich-parent', enabled: true, variants: ['blue'] }],
      children: [],
      links: [],
      lifecycle: { stage: 'initial' },
      environments: [
        {
          name: 'development',
          enabled: false,
          variants: [{ name: 'red' }],
          strategies: [
            { disabled: true, sortOrder: 1 },
            {
              ...ROLLOUT,
              segments: [segment],
              parameters: { ...ROLLOUT.parameters, groupId: 'rich-2' },
              featureName: 'rich-2',
            },
          ],
        },
        {
          name: 'production',
          enabled: false,
          strategies: [{ name: 'remoteAddress', parameters: { IPs: '127.0.0.1' } }],
        },
      ],
    },
  });
  expect(await get('rich-2')).toEqual(copied.body);
  expect((await get('rich')).clonedFrom).toBeNull();
});

test('every part of a copy has its event, all in one group, and the first says what was copied', async () => {
  await makeRich('told');

  await clone('told', { name: 'told-2' });

  const events = await eventsOf('told-2');
  expect(events.map(({ type, environment }) => [type, environment])).toEqual([
    ['feature-created', null],
    ['feature-strategy-add', 'development'],
    ['feature-strategy-add', 'development'],
    ['feature-strategy-add', 'production'],
    ['feature-environment-variants-updated', 'development'],
    ['feature-tagged', null],
    ['feature-dependency-added', null],
  ]);
  expect(new Set(events.map(({ groupId }) => groupId)).size).toBe(1);
  const copy = await get('told-2');
  expect(events[0]?.data).toEqual({
    name: 'told-2',
    project: 'default',
    type: 'experiment',
    description: 'Everything',
    impressionData: true,
    stale: false,
    archived: false,
    createdAt: copy.createdAt,
    clonedFrom: { project: 'default', feature: 'told' },
  });
  const { featureName: _, ...strategy } = copy.environments[0].strategies[0];
  expect(events[1]?.data).toEqual(strategy);
  expect(events[4]).toMatchObject({ data: { variants: [{ name: 'red' }] }, preData: { variants: [] } });
  expect(events[5]?.data).toEqual({ type: 'simple', value: 'checkout' });
  expect(events[6]?.data).toEqual({ feature: 'told-parent', enabled: true, variants: ['blue'] });
});

test('groups of rollouts stay when the request says so', async () => {
  await makeRich('grouped');

  const { body } = await clone('grouped', { name: 'grouped-2', replaceGroupId: false });

  expect(body.environments[0].strategies[1].parameters.groupId).toBe('rich');
});

test('a copy goes to the project of the address, or to the one the body names', async () => {
  await makeProject(harness.db, { id: 'receiver', environments: ['development'] });
  await insertRichFeature(harness.db, { name: 'traveller' });

  const byAddress = await clone('traveller', { name: 'traveller-2' }, { project: 'receiver' });
  const byBody = await clone('traveller', { name: 'traveller-3', project: 'receiver' });

  expect(byAddress).toMatchObject({ status: 200, body: { project: 'receiver' } });
  expect(byBody).toMatchObject({ status: 200, body: { project: 'receiver' } });
});

test('environments that the receiving project lacks are left out; those it has alone are empty', async () => {
  await call(harness.app, 'POST', '/api/admin/environments', { body: { name: 'extra', type: 'test' } });
  await makeProject(harness.db, { id: 'narrow', environments: ['development', 'extra'] });
  await makeRich('wide', { dependencies: [] });

  const { body } = await clone('wide', { name: 'wide-2' }, { project: 'narrow' });

  expect(
    body.environments.map((one: { name: string; strategies: unknown[] }) => [
      one.name,
      one.strategies.length,
    ]),
  ).toEqual([
    ['development', 2],
    ['extra', 0],
  ]);
});

test('a segment of the other project and a parent there refuse the clone, both listed', async () => {
  await makeProject(harness.db, { id: 'away' });
  await makeProject(harness.db, { id: 'home' });
  const segment = await insertSegment(harness.db, 'of home', 'home');
  await insertRichFeature(harness.db, { name: 'home-parent', project: 'home' });
  await insertRichFeature(harness.db, {
    name: 'bound',
    project: 'home',
    dependencies: [{ feature: 'home-parent', enabled: true, variants: [] }],
    environments: { development: { strategies: [{ segments: [segment] }] } },
  });

  const refused = await clone('bound', { name: 'bound-2' }, { project: 'away' });
  const within = await clone('bound', { name: 'bound-3' }, { project: 'home' });
  const without = await clone('bound', { name: 'bound-4', include: ['variants'] }, { project: 'away' });

  expect(refused).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(messages(refused)).toEqual([
    expect.stringContaining('home-parent'),
    expect.stringContaining(`segment ${segment}`),
  ]);
  expect(within.status).toBe(200);
  expect(without.status).toBe(200);
});

test('parts and environments can be chosen', async () => {
  await makeRich('chosen');

  const { body } = await clone('chosen', {
    name: 'chosen-2',
    include: ['strategies'],
    environments: [{ from: 'development', to: 'production' }],
  });

  expect(body).toMatchObject({ tags: [], dependencies: [] });
  expect(body.environments).toMatchObject([
    { name: 'development', strategies: [], variants: [] },
    { name: 'production', strategies: [{ disabled: true }, { name: 'flexibleRollout' }], variants: [] },
  ]);
});

test('environments named in the request must be there and be named once, all mistakes listed', async () => {
  await insertRichFeature(harness.db, { name: 'mapped' });

  const refused = await clone('mapped', {
    name: 'mapped-2',
    environments: [
      { from: 'moon', to: 'development' },
      { from: 'development', to: 'mars' },
      { from: 'production', to: 'development' },
    ],
  });

  expect(refused.status).toBe(400);
  expect(refused.body.details.map((detail: { path: string }) => detail.path)).toEqual([
    '/body/environments/0/from',
    '/body/environments/1/to',
    '/body/environments/2/to',
  ]);
});

test('every environment that gets something needs its permission, all that lack it are named', async () => {
  await makeProject(harness.db, { id: 'guarded' });
  await makeRich('watched', { project: 'guarded' });
  const user = await makeUser(harness.db, 'Viewer');
  const { rows } = await sql<{ id: number }>`
    insert into roles (name, type) values ('Half a member', 'custom') returning id`.execute(harness.db);
  const role = rows[0]?.id ?? 0;
  await sql`
    insert into role_permissions (role_id, permission, environment)
    values (${role}, 'CREATE_FEATURE', null), (${role}, 'CREATE_FEATURE_STRATEGY', 'development')`.execute(
    harness.db,
  );
  await sql`
    insert into user_roles (user_id, role_id, project) values (${user.id}, ${role}, 'guarded')`.execute(
    harness.db,
  );
  const as = { project: 'guarded', token: user.token };

  const refused = await clone('watched', { name: 'watched-2' }, as);
  const allowed = await clone(
    'watched',
    {
      name: 'watched-3',
      include: ['strategies'],
      environments: [{ from: 'development', to: 'development' }],
    },
    as,
  );

  expect(refused).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(messages(refused)).toEqual([
    expect.stringMatching(/CREATE_FEATURE_STRATEGY.*production/),
    expect.stringMatching(/UPDATE_FEATURE_ENVIRONMENT_VARIANTS.*development/),
  ]);
  expect(allowed.status).toBe(200);
});

test('who may not create features in the receiving project is refused, wherever the source is', async () => {
  await makeProject(harness.db, { id: 'not-mine' });
  await insertRichFeature(harness.db, { name: 'public' });
  const editor = await makeUser(harness.db, 'Editor');

  const refused = await clone('public', { name: 'public-2', project: 'not-mine' }, { token: editor.token });

  expect(refused).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
});

test('a private source or receiving project is as if it were not there', async () => {
  await makeProject(harness.db, { id: 'secret', mode: 'private' });
  await insertRichFeature(harness.db, { name: 'secret-feature', project: 'secret' });
  await insertRichFeature(harness.db, { name: 'known' });
  const { token } = await makeUser(harness.db, 'Editor');
  const plain = ({ status, body }: Answer, name: string) => ({
    status,
    ...JSON.parse(JSON.stringify({ ...body, id: '' }).replaceAll(name, 'X')),
  });

  const hiddenSource = await clone('secret-feature', { name: 'leak' }, { token });
  const missingSource = await clone('no-such-feature', { name: 'leak' }, { token });
  const hiddenTarget = await clone('known', { name: 'leak', project: 'secret' }, { token });
  const missingTarget = await clone('known', { name: 'leak', project: 'nowhere' }, { token });
  const planned = await clone('secret-feature', { name: 'leak' }, { token, query: '?dryRun=true' });

  expect(plain(hiddenSource, 'secret-feature')).toEqual(plain(missingSource, 'no-such-feature'));
  expect(plain(hiddenTarget, 'secret')).toEqual(plain(missingTarget, 'nowhere'));
  expect(plain(planned, 'secret-feature')).toEqual(plain(missingSource, 'no-such-feature'));
  expect([hiddenSource.status, hiddenTarget.status]).toEqual([404, 404]);
});

test('a copy does not tell of a private source to those who may not read it', async () => {
  await makeProject(harness.db, { id: 'hidden-home', mode: 'private' });
  await insertRichFeature(harness.db, { name: 'hidden-source', project: 'hidden-home' });
  const member = await makeUser(harness.db, 'Editor');
  const stranger = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, 'hidden-home', 'Reader');
  await clone('hidden-source', { name: 'shown' }, { token: member.token });
  const seenBy = async (token: string, path = '') =>
    await call(harness.app, 'GET', `${P}/default/features/shown${path}`, { token });

  expect((await seenBy(member.token)).body.clonedFrom).toEqual({
    project: 'hidden-home',
    feature: 'hidden-source',
  });
  expect((await seenBy(stranger.token)).body.clonedFrom).toBeNull();
  expect((await seenBy(member.token, '/drift')).status).toBe(200);
  expect((await seenBy(stranger.token, '/drift')).status).toBe(404);
});

test('the naming pattern and the limit of the receiving project hold, listed with what else stands in the way', async () => {
  await makeProject(harness.db, { id: 'strict' });
  await call(harness.app, 'PUT', `${P}/strict/settings`, {
    body: { featureLimit: 1, featureNaming: { pattern: 'pay\\..+', example: 'pay.x' } },
  });
  await insertRichFeature(harness.db, { name: 'lax' });

  const pattern = await clone('lax', { name: 'lax-2' }, { project: 'strict' });
  const both = await clone(
    'lax',
    { name: 'lax-2', environments: [{ from: 'development', to: 'mars' }] },
    { project: 'strict' },
  );
  const first = await clone('lax', { name: 'pay.1' }, { project: 'strict' });
  const second = await clone('lax', { name: 'pay.2' }, { project: 'strict' });

  expect(pattern).toMatchObject({ status: 400, body: { name: 'PatternError' } });
  expect(both).toMatchObject({ status: 400, body: { name: 'PatternError' } });
  expect(messages(both)).toHaveLength(2);
  expect(first.status).toBe(200);
  expect(second).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('a plan says what would be made, what is left out and what is needed, and makes nothing', async () => {
  await makeRich('planned');
  const before = await eventsOf('planned-2');

  const { status, body } = await clone('planned', { name: 'planned-2' }, { query: '?dryRun=true' });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    planId: expect.any(String),
    obstacles: [],
    permissions: [
      { permission: 'CREATE_FEATURE', environment: null, held: true },
      { permission: 'CREATE_FEATURE_STRATEGY', environment: 'development', held: true },
      { permission: 'CREATE_FEATURE_STRATEGY', environment: 'production', held: true },
      { permission: 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS', environment: 'development', held: true },
    ],
  });
  const [copy] = body.copies;
  expect(copy).toMatchObject({
    source: { project: 'default', feature: 'planned' },
    name: 'planned-2',
    tags: [{ value: 'checkout' }],
    environments: [{ name: 'development', from: 'development' }, { name: 'production' }],
  });
  expect(copy.leftOut.map((one: { part: string }) => one.part)).toEqual(['enabled', 'stale', 'links']);
  expect(await eventsOf('planned-2')).toEqual(before);
  expect((await call(harness.app, 'GET', `${P}/default/features/planned-2`)).status).toBe(404);
});

test('a plan lists everything that stands in the way, and then has no id', async () => {
  await makeProject(harness.db, { id: 'fussy', environments: ['production'] });
  await call(harness.app, 'PUT', `${P}/fussy/settings`, { body: { featureNaming: { pattern: 'pay\\..+' } } });
  await makeRich('blocked');
  const { token, ...user } = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, { token, ...user }, 'fussy', 'Member');
  await sql`delete from role_permissions where role_id = 5 and permission = 'CREATE_FEATURE_STRATEGY'`.execute(
    harness.db,
  );

  const { body } = await clone(
    'blocked',
    { name: 'blocked' },
    { project: 'fussy', token, query: '?dryRun=true' },
  );
  await sql`insert into role_permissions (role_id, permission) values (5, 'CREATE_FEATURE_STRATEGY')`.execute(
    harness.db,
  );

  expect(body.planId).toBeNull();
  expect(body.obstacles.map(({ name }: { name: string }) => name)).toEqual([
    'PatternError',
    'BadDataError',
    'NoAccessError',
    'NameExistsError',
  ]);
  expect(body.copies[0].leftOut).toContainEqual({
    part: 'environment',
    environment: 'development',
    why: expect.any(String),
  });
  expect(body.permissions).toContainEqual({
    permission: 'CREATE_FEATURE_STRATEGY',
    environment: 'production',
    held: false,
  });
});

test('a clone by a plan does what the plan says', async () => {
  await makeRich('agreed');
  const plan = await clone('agreed', { name: 'agreed-2' }, { query: '?dryRun=true' });

  const done = await clone('agreed', { name: 'agreed-2', planId: plan.body.planId });

  expect(done.status).toBe(200);
  const again = await clone(
    'agreed-2',
    { name: 'agreed-3', replaceGroupId: false },
    { query: '?dryRun=true' },
  );
  type Planned = {
    environments: { strategies: object[] }[];
    tags: unknown;
    dependencies: unknown;
    type: unknown;
  };
  const told = (copy: Planned) => [
    copy.environments.map(({ strategies, ...here }) => ({
      ...here,
      strategies: strategies.map(strategy => ({ ...strategy, copyOf: '' })),
    })),
    copy.tags,
    copy.dependencies,
    copy.type,
  ];
  expect(told(again.body.copies[0])).toEqual(told(plan.body.copies[0]));
});

test.each<[string, (name: string, project: string) => Promise<unknown>]>([
  [
    'the source has another description',
    name => call(harness.app, 'PUT', `${P}/default/features/${name}`, { body: { description: 'Other' } }),
  ],
  [
    'the source has a strategy more',
    name =>
      call(harness.app, 'POST', `${P}/default/features/${name}/environments/production/strategies`, {
        body: { name: 'default' },
      }),
  ],
  [
    'the source is on somewhere',
    name => call(harness.app, 'POST', `${P}/default/features/${name}/environments/production/on`),
  ],
  [
    'the receiving project has lost an environment',
    (_name, project) => call(harness.app, 'DELETE', `${P}/${project}/environments/development`),
  ],
  [
    'the receiving project is full',
    (_name, project) => call(harness.app, 'PUT', `${P}/${project}/settings`, { body: { featureLimit: 0 } }),
  ],
  [
    'the name was taken',
    (name, project) => call(harness.app, 'POST', `${P}/${project}/features`, { body: { name: `${name}-2` } }),
  ],
])('a clone by a plan is refused with 409 if meanwhile %s', async (what, happens) => {
  const name = what.replaceAll(' ', '-');
  const { id: project } = await makeProject(harness.db);
  await makeRich(name, { dependencies: [] });
  const body = { name: `${name}-2`, project };
  const plan = await clone(name, body, { query: '?dryRun=true' });
  await happens(name, project);

  const refused = await clone(name, { ...body, planId: plan.body.planId });

  expect(plan.body.planId).not.toBeNull();
  expect(refused.status).toBe(409);
});

test('a clone waits for a change of its source, and copies what came out of it', async () => {
  await makeRich('moving');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'moving' for update`.execute(blocker);
  await sql`update features set description = 'Changed' where name = 'moving'`.execute(blocker);

  const waiting = clone('moving', { name: 'moving-2' });
  await untilWaiting(harness.db);
  await blocker.commit().execute();

  expect((await waiting).body.description).toBe('Changed');
});

test('two clones of one source do not wait for each other', async () => {
  await makeProject(harness.db, { id: 'other-receiver' });
  await insertRichFeature(harness.db, { name: 'shared' });
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'shared' for share`.execute(blocker);

  const done = await clone('shared', { name: 'shared-2' }, { project: 'other-receiver' });
  await blocker.rollback().execute();

  expect(done.status).toBe(200);
});

test('several features are cloned together, and a child depends on the copy of its parent', async () => {
  await makeProject(harness.db, { id: 'elsewhere' });
  await insertRichFeature(harness.db, { name: 'family-parent' });
  await insertRichFeature(harness.db, {
    name: 'family-child',
    dependencies: [{ feature: 'family-parent', enabled: false, variants: [] }],
  });

  const { status, body } = await cloneMany('elsewhere', {
    features: [
      { feature: 'family-child', name: 'child-2' },
      { feature: 'family-parent', name: 'parent-2' },
    ],
  });

  expect(status).toBe(200);
  expect(body.features.map(({ name }: { name: string }) => name)).toEqual(['child-2', 'parent-2']);
  expect(body.features[0].dependencies).toEqual([{ feature: 'parent-2', enabled: false, variants: [] }]);
  const drift = await call(harness.app, 'GET', `${P}/elsewhere/features/child-2/drift`);
  expect(drift.body).toMatchObject({ inSync: true, source: { project: 'default', feature: 'family-child' } });
});

test('of several clones all are made or none, and the limit counts them together', async () => {
  await makeProject(harness.db, { id: 'small' });
  await call(harness.app, 'PUT', `${P}/small/settings`, { body: { featureLimit: 2 } });
  for (const name of ['one', 'two', 'three']) await insertRichFeature(harness.db, { name });
  const ask = (...names: [string, string][]) =>
    cloneMany('small', { features: names.map(([feature, name]) => ({ feature, name })) });

  const tooMany = await ask(['one', 's1'], ['two', 's2'], ['three', 's3']);
  const twice = await ask(['one', 's1'], ['two', 's1']);
  const taken = await ask(['one', 's1'], ['two', 'three']);
  const missing = await ask(['one', 's1'], ['nope', 's2']);
  const left = await sql`select from features where project = 'small'`.execute(harness.db);
  const fits = await ask(['one', 's1'], ['one', 's2']);

  expect([tooMany, twice, taken, missing, fits].map(({ status }) => status)).toEqual([
    403, 400, 409, 404, 200,
  ]);
  expect(left.rows).toHaveLength(0);
});

test('unknown fields are ignored by the clone of one, and refused by that of many', async () => {
  await insertRichFeature(harness.db, { name: 'plain' });

  const one = await clone('plain', { name: 'plain-2', nonsense: 1 });
  const many = await cloneMany('default', { features: [{ feature: 'plain', name: 'plain-3' }], nonsense: 1 });

  expect([one.status, many.status]).toEqual([200, 400]);
});

test('rejects with every reason that a dry run lists, a taken name among them', async () => {
  const { db } = harness;
  await makeProject(db, { id: 'every-reason' });
  const segment = await insertSegment(db, 'of-default', 'default');
  await insertRichFeature(db, { name: 'reason-parent' });
  await insertRichFeature(db, { name: 'reason-taken' });
  await insertRichFeature(db, {
    name: 'reason-source',
    dependencies: [{ feature: 'reason-parent', enabled: true, variants: [] }],
    environments: { development: { strategies: [{ segments: [segment] }] } },
  });
  const body = { name: 'reason-taken', project: 'every-reason' };
  const path = '/api/admin/projects/default/features/reason-source/clone';

  const rejected = await call(harness.app, 'POST', path, { body });
  const planned = await call(harness.app, 'POST', `${path}?dryRun=true`, { body });

  const messages = planned.body.obstacles.map(({ message }: { message: string }) => message);
  expect(messages).toHaveLength(3);
  expect(rejected.status).toBe(400);
  expect(rejected.body.details.map(({ message }: { message: string }) => message)).toEqual(messages);
});

test('says that the source or the receiving project is archived, to callers who may read it', async () => {
  const { db, app } = harness;
  await makeProject(db, { id: 'put-away' });
  await makeProject(db, { id: 'hidden-away', mode: 'private' });
  await insertRichFeature(db, { name: 'active-source' });
  await insertRichFeature(db, { name: 'resting-source' });
  await insertRichFeature(db, { name: 'resting-hidden', project: 'hidden-away' });
  for (const path of ['default/features/resting-source', 'hidden-away/features/resting-hidden'])
    await call(app, 'DELETE', `/api/admin/projects/${path}`);
  for (const id of ['put-away', 'hidden-away']) await call(app, 'POST', `/api/admin/projects/archive/${id}`);
  const clone = (source: string, project: string, token?: string) =>
    call(app, 'POST', `/api/admin/projects/default/features/${source}/clone`, {
      body: { name: 'never-made', project },
      ...(token === undefined ? {} : { token }),
    });
  const editor = await makeUser(db, 'Editor');

  expect(await clone('resting-source', 'default')).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: 'Feature resting-source is archived. Revive it first.' },
  });
  expect(await clone('active-source', 'put-away')).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: 'Project put-away is archived. Revive it first.' },
  });
  expect((await clone('resting-hidden', 'default', editor.token)).body.message).toBe(
    'Feature resting-hidden does not exist.',
  );
  expect((await clone('active-source', 'hidden-away', editor.token)).body.message).toBe(
    'Project hidden-away does not exist.',
  );
});

/** A project that is full, has a naming pattern, and lets a caller create features without strategies. */
async function makeTightProject(id: string) {
  await makeProject(harness.db, { id });
  await insertRichFeature(harness.db, { name: `${id}.first`, project: id });
  const settings = { featureLimit: 1, featureNaming: { pattern: `${id}\\..+`, example: `${id}.x` } };
  await call(harness.app, 'PUT', `${P}/${id}/settings`, { body: settings });
  const { token, ...user } = await makeUser(harness.db, 'Viewer');
  const { rows } = await sql<{ id: number }>`
    insert into roles (name, type) values (${`Creator in ${id}`}, 'custom') returning id`.execute(harness.db);
  const role = rows[0]?.id ?? 0;
  await sql`insert into role_permissions (role_id, permission) values (${role}, 'CREATE_FEATURE')`.execute(
    harness.db,
  );
  await sql`insert into user_roles (user_id, role_id, project) values (${user.id}, ${role}, ${id})`.execute(
    harness.db,
  );
  return { token };
}

test('lists every obstacle of every kind, with the name and status of the first', async () => {
  const { db } = harness;
  const { token } = await makeTightProject('tight');
  const segment = await insertSegment(db, 'segment elsewhere', 'default');
  await insertRichFeature(db, { name: 'tied-parent' });
  await insertRichFeature(db, { name: 'tied-taken' });
  await insertRichFeature(db, {
    name: 'tied',
    dependencies: [{ feature: 'tied-parent', enabled: true, variants: [] }],
    environments: { development: { strategies: [{ segments: [segment] }] } },
  });
  const full = await harness.secondServer({ limits: { ...DEFAULT_LIMITS, features: 1 } });
  const path = `${P}/tight/features/tied/clone`;
  const body = { name: 'tied-taken' };

  const planned = await call(full, 'POST', `${path}?dryRun=true`, { body, token });
  const rejected = await call(full, 'POST', path, { body, token });

  const obstacles: { name: string; message: string }[] = planned.body.obstacles;
  expect(obstacles.map(({ name }) => name)).toEqual([
    'PatternError',
    'InvalidOperationError',
    'BadDataError',
    'BadDataError',
    'NoAccessError',
    'NameExistsError',
    'ExceedsLimitError',
  ]);
  expect(planned.body.planId).toBeNull();
  expect(rejected).toMatchObject({
    status: 400,
    body: {
      name: 'PatternError',
      message: 'The clone is rejected for 7 reasons; details lists them.',
    },
  });
  expect(messages(rejected)).toEqual(obstacles.map(({ message }) => message));
});

test('keeps the message of a single reason', async () => {
  await insertRichFeature(harness.db, { name: 'single-reason' });

  const rejected = await clone('single-reason', { name: 'single-reason' });

  expect(rejected).toMatchObject({ status: 409, body: { message: 'Feature single-reason exists already.' } });
});

test('lists a missing source with the other reasons, and rejects with 404', async () => {
  await makeTightProject('narrow-names');
  await insertRichFeature(harness.db, { name: 'present' });
  const features = [
    { feature: 'absent', name: 'narrow-names.a' },
    { feature: 'present', name: 'narrow-names.a' },
    { feature: 'present', name: 'present' },
  ];

  const rejected = await cloneMany('narrow-names', { features });
  const planned = await cloneMany('narrow-names', { features }, '?dryRun=true');

  expect(rejected).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
  expect(messages(rejected)).toEqual([
    'Feature absent does not exist.',
    expect.stringContaining('present does not'),
    expect.stringContaining('its limit is 1'),
    'narrow-names.a is given to two copies',
    'Feature present exists already.',
  ]);
  expect(messages(planned)).toEqual(messages(rejected));
  expect(planned.status).toBe(404);
});

test('lists an invalid name with a repeated name and a missing source', async () => {
  await insertRichFeature(harness.db, { name: 'several-source' });

  const rejected = await cloneMany('default', {
    features: [
      { feature: 'several-absent', name: 'several-1' },
      { feature: 'several-source', name: 'several-1' },
      { feature: 'several-source', name: 'not a name' },
    ],
  });

  expect(rejected).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(rejected.body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/features/2/name',
    '/body/features/0/feature',
    '/body/features/1/name',
  ]);
});

test('rejects a query parameter that differs from dryRun by case only, and changes nothing', async () => {
  await insertRichFeature(harness.db, { name: 'case-source' });
  const body = { features: [{ feature: 'case-source', name: 'case-copy' }] };

  const one = await clone('case-source', { name: 'case-copy' }, { query: '?dryrun=true' });
  const many = await cloneMany('default', body, '?DryRun=true');
  const other = await clone('case-source', { name: 'case-other' }, { query: '?unknown=true' });

  expect(one).toMatchObject({
    status: 400,
    body: {
      name: 'BadDataError',
      details: [
        {
          message: 'dryrun is not a parameter of this operation. Did you mean dryRun?',
          path: '/query/dryrun',
        },
      ],
    },
  });
  expect(many).toMatchObject({ status: 400, body: { details: [{ path: '/query/DryRun' }] } });
  expect((await call(harness.app, 'GET', `${P}/default/features/case-copy`)).status).toBe(404);
  expect(other.status).toBe(200);
});
