import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cloneRequests, getErrorMessages, ROLLOUT } from '../../test/clone-requests.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { insertRichFeature } from '../../test/rich-feature.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
const { clone, cloneMany, getFeature, makeFullFeature, readEvents } = cloneRequests(harness);

test('a copy has the parts of its source, is disabled and not stale, and names its source', async () => {
  const { segment } = await makeFullFeature('rich');

  const response = await clone('rich', { name: 'rich-2' });

  expect(response).toMatchObject({
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
  expect(await getFeature('rich-2')).toEqual(response.body);
  expect((await getFeature('rich')).clonedFrom).toBeNull();
});

test('records an event for each part of a copy, all with the same groupId', async () => {
  await makeFullFeature('recorded');

  await clone('recorded', { name: 'recorded-2' });

  const events = await readEvents('recorded-2');
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
  const copy = await getFeature('recorded-2');
  expect(events[0]?.data).toEqual({
    name: 'recorded-2',
    project: 'default',
    type: 'experiment',
    description: 'Everything',
    impressionData: true,
    stale: false,
    archived: false,
    createdAt: copy.createdAt,
    clonedFrom: { project: 'default', feature: 'recorded' },
  });
  const { featureName: _, ...strategy } = copy.environments[0].strategies[0];
  expect(events[1]?.data).toEqual(strategy);
  expect(events[4]).toMatchObject({ data: { variants: [{ name: 'red' }] }, preData: { variants: [] } });
  expect(events[5]?.data).toEqual({ type: 'simple', value: 'checkout' });
  expect(events[6]?.data).toEqual({ feature: 'recorded-parent', enabled: true, variants: ['blue'] });
});

test('keeps the groupId of rollouts if replaceGroupId is false', async () => {
  await makeFullFeature('grouped');

  const { body } = await clone('grouped', { name: 'grouped-2', replaceGroupId: false });

  expect(body.environments[0].strategies[1].parameters.groupId).toBe('rich');
});

test('clones to the project in the URL, or to the project in the body', async () => {
  await makeProject(harness.db, { id: 'receiver', environments: ['development'] });
  await insertRichFeature(harness.db, { name: 'traveller' });

  const byUrl = await clone('traveller', { name: 'traveller-2' }, { project: 'receiver' });
  const byBody = await clone('traveller', { name: 'traveller-3', project: 'receiver' });

  expect(byUrl).toMatchObject({ status: 200, body: { project: 'receiver' } });
  expect(byBody).toMatchObject({ status: 200, body: { project: 'receiver' } });
});

test('omits environments that the target project does not have and leaves its other environments empty', async () => {
  await call(harness.app, 'POST', '/api/admin/environments', { body: { name: 'extra', type: 'test' } });
  await makeProject(harness.db, { id: 'narrow', environments: ['development', 'extra'] });
  await makeFullFeature('wide', { dependencies: [] });

  const { body } = await clone('wide', { name: 'wide-2' }, { project: 'narrow' });

  expect(
    body.environments.map((environment: { name: string; strategies: unknown[] }) => [
      environment.name,
      environment.strategies.length,
    ]),
  ).toEqual([
    ['development', 2],
    ['extra', 0],
  ]);
});

test('copies only the included parts and the mapped environments', async () => {
  await makeFullFeature('chosen');

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

test('requires permissions in every environment of the copy and lists all that are missing', async () => {
  await makeProject(harness.db, { id: 'guarded' });
  await makeFullFeature('watched', { project: 'guarded' });
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
  const caller = { project: 'guarded', token: user.token };

  const rejection = await clone('watched', { name: 'watched-2' }, caller);
  const response = await clone(
    'watched',
    {
      name: 'watched-3',
      include: ['strategies'],
      environments: [{ from: 'development', to: 'development' }],
    },
    caller,
  );

  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(getErrorMessages(rejection)).toEqual([
    expect.stringMatching(/CREATE_FEATURE_STRATEGY.*production/),
    expect.stringMatching(/UPDATE_FEATURE_ENVIRONMENT_VARIANTS.*development/),
  ]);
  expect(response.status).toBe(200);
  const missingPermissions = [
    'This operation requires the permission CREATE_FEATURE_STRATEGY in environment "production" of project "guarded".',
    'This operation requires the permission UPDATE_FEATURE_ENVIRONMENT_VARIANTS in environment "development" of project "guarded".',
  ];
  expect(rejection.body.message).toBe(
    ['The clone is rejected for 2 reasons, listed in details.', ...missingPermissions].join(' '),
  );
  const nameRejection = await clone('watched', { name: 'watched' }, caller);
  expect(nameRejection.body.message).toBe(
    ['The clone is rejected for 3 reasons, listed in details.', ...missingPermissions].join(' '),
  );
});

test.each([
  ['a different content type', 'text/plain', 'x'],
  ['invalid JSON', 'application/json', '{'],
  ['a missing body', undefined, undefined],
  ['an invalid name', 'application/json', '{"name":"a b"}'],
  ['an invalid name for the target project', 'application/json', '{"name":"a b","project":"not-allowed"}'],
  ['a body that is too large', 'application/json', `{"name":"${'a'.repeat(70_000)}"}`],
])('rejects a caller without the permission with 403 before it rejects %s', async (_case, type, payload) => {
  await makeProject(harness.db, { id: 'not-allowed' }).catch(() => undefined);
  const [viewer, owner] = [await makeUser(harness.db, 'Viewer'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, owner, 'default', 'Owner');
  const send = async ({ token }: { token: string }) => {
    const response = await harness.app.inject({
      method: 'POST',
      url: '/api/admin/projects/default/features/anything/clone',
      headers: { authorization: token, ...(type ? { 'content-type': type } : {}) },
      ...(payload ? { payload } : {}),
    });
    return [response.statusCode, response.json().name];
  };

  expect(await send(viewer)).toEqual([403, 'NoAccessError']);
  if (payload?.includes('not-allowed')) expect(await send(owner)).toEqual([403, 'NoAccessError']);
  else expect([400, 413, 415]).toContain((await send(owner))[0]);
});

test('rejects callers without CREATE_FEATURE in the target project', async () => {
  await makeProject(harness.db, { id: 'not-mine' });
  await insertRichFeature(harness.db, { name: 'public' });
  const editor = await makeUser(harness.db, 'Editor');

  const rejection = await clone('public', { name: 'public-2', project: 'not-mine' }, { token: editor.token });

  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
});

test('responds with 404 for a private source or target project', async () => {
  await makeProject(harness.db, { id: 'secret', mode: 'private' });
  await insertRichFeature(harness.db, { name: 'secret-feature', project: 'secret' });
  await insertRichFeature(harness.db, { name: 'known' });
  const { token } = await makeUser(harness.db, 'Editor');
  const withoutIdAndName = ({ status, body }: ApiResponse, name: string) => ({
    status,
    ...JSON.parse(JSON.stringify({ ...body, id: '' }).replaceAll(name, 'X')),
  });

  const hiddenSource = await clone('secret-feature', { name: 'leak' }, { token });
  const missingSource = await clone('no-such-feature', { name: 'leak' }, { token });
  const hiddenTarget = await clone('known', { name: 'leak', project: 'secret' }, { token });
  const missingTarget = await clone('known', { name: 'leak', project: 'nowhere' }, { token });
  const plan = await clone('secret-feature', { name: 'leak' }, { token, query: '?dryRun=true' });

  expect(withoutIdAndName(hiddenSource, 'secret-feature')).toEqual(
    withoutIdAndName(missingSource, 'no-such-feature'),
  );
  expect(withoutIdAndName(hiddenTarget, 'secret')).toEqual(withoutIdAndName(missingTarget, 'nowhere'));
  expect(withoutIdAndName(plan, 'secret-feature')).toEqual(
    withoutIdAndName(missingSource, 'no-such-feature'),
  );
  expect([hiddenSource.status, hiddenTarget.status]).toEqual([404, 404]);
});

test('hides the source of a copy from callers who cannot read its project', async () => {
  await makeProject(harness.db, { id: 'hidden-home', mode: 'private' });
  await insertRichFeature(harness.db, { name: 'hidden-source', project: 'hidden-home' });
  const member = await makeUser(harness.db, 'Editor');
  const stranger = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, member, 'hidden-home', 'Reader');
  await clone('hidden-source', { name: 'shown' }, { token: member.token });
  const readAs = async (token: string, path = '') =>
    await call(harness.app, 'GET', `/api/admin/projects/default/features/shown${path}`, { token });

  expect((await readAs(member.token)).body.clonedFrom).toEqual({
    project: 'hidden-home',
    feature: 'hidden-source',
  });
  expect((await readAs(stranger.token)).body.clonedFrom).toBeNull();
  expect((await readAs(member.token, '/drift')).status).toBe(200);
  expect((await readAs(stranger.token, '/drift')).status).toBe(404);
});

test('a clone waits for a concurrent change of its source and copies the result', async () => {
  await makeFullFeature('moving');
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'moving' for update`.execute(blocker);
  await sql`update features set description = 'Changed' where name = 'moving'`.execute(blocker);

  const pendingClone = clone('moving', { name: 'moving-2' });
  await waitForLockWaiters(harness.db);
  await blocker.commit().execute();

  expect((await pendingClone).body.description).toBe('Changed');
});

test('two clones of one source do not block each other', async () => {
  await makeProject(harness.db, { id: 'other-receiver' });
  await insertRichFeature(harness.db, { name: 'shared' });
  const blocker = await harness.db.startTransaction().execute();
  await sql`select from features where name = 'shared' for share`.execute(blocker);

  const response = await clone('shared', { name: 'shared-2' }, { project: 'other-receiver' });
  await blocker.rollback().execute();

  expect(response.status).toBe(200);
});

test('clones several features, and a child depends on the copy of its parent', async () => {
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
  const drift = await call(harness.app, 'GET', `/api/admin/projects/elsewhere/features/child-2/drift`);
  expect(drift.body).toMatchObject({ inSync: true, source: { project: 'default', feature: 'family-child' } });
});

test('clones all features of a request or none, and counts all of them against the feature limit', async () => {
  await makeProject(harness.db, { id: 'small' });
  await call(harness.app, 'PUT', `/api/admin/projects/small/settings`, { body: { featureLimit: 2 } });
  for (const name of ['one', 'two', 'three']) await insertRichFeature(harness.db, { name });
  const cloneInto = (...names: [string, string][]) =>
    cloneMany('small', { features: names.map(([feature, name]) => ({ feature, name })) });

  const tooMany = await cloneInto(['one', 's1'], ['two', 's2'], ['three', 's3']);
  const duplicate = await cloneInto(['one', 's1'], ['two', 's1']);
  const limitRejection = await cloneInto(['one', 's1'], ['two', 'three']);
  const missingSource = await cloneInto(['one', 's1'], ['nope', 's2']);
  const copies = await sql`select from features where project = 'small'`.execute(harness.db);
  const fits = await cloneInto(['one', 's1'], ['one', 's2']);

  expect([tooMany, duplicate, limitRejection, missingSource, fits].map(({ status }) => status)).toEqual([
    403, 400, 409, 404, 200,
  ]);
  expect(copies.rows).toHaveLength(0);
});

test('ignores unknown fields when cloning one feature and rejects them when cloning several', async () => {
  await insertRichFeature(harness.db, { name: 'plain' });

  const singleClone = await clone('plain', { name: 'plain-2', nonsense: 1 });
  const bulkClone = await cloneMany('default', {
    features: [{ feature: 'plain', name: 'plain-3' }],
    nonsense: 1,
  });

  expect([singleClone.status, bulkClone.status]).toEqual([200, 400]);
});
