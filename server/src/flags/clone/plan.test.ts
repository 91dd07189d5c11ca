import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../platform/config.ts';
import { cloneRequests, getErrorMessages } from '../../test/clone-requests.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { insertRichFeature, insertSegment } from '../../test/rich-feature.ts';

const harness = useHarness();
const { clone, cloneMany, makeFullFeature, readEvents } = cloneRequests(harness);

test('rejects a segment and a parent that belong to a different project, and lists both', async () => {
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

  const rejection = await clone('bound', { name: 'bound-2' }, { project: 'away' });
  const sameProject = await clone('bound', { name: 'bound-3' }, { project: 'home' });
  const withoutStrategies = await clone(
    'bound',
    { name: 'bound-4', include: ['variants'] },
    { project: 'away' },
  );

  expect(rejection).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(getErrorMessages(rejection)).toEqual([
    expect.stringContaining('home-parent'),
    expect.stringContaining('uses segment "of home" in environment "development"'),
  ]);
  expect(sameProject.status).toBe(200);
  expect(withoutStrategies.status).toBe(200);
});

test.each([
  ['constraint', { constraints: [{ contextName: 'tier', operator: 'IN', values: ['gold'] }] }],
  ['stickiness', { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'tier' } }],
])('rejects a %s that uses a context field of a different project', async (kind, strategy) => {
  const [owner, otherProject] = [`owner-${kind}`, `elsewhere-${kind}`];
  await makeProject(harness.db, { id: owner, mode: 'private' });
  await makeProject(harness.db, { id: otherProject });
  const field = `tier-${kind}`;
  await sql`insert into context_fields (name, project) values (${field}, ${owner})`.execute(harness.db);
  const source = `tiered-${kind}`;
  await insertRichFeature(harness.db, {
    name: source,
    project: owner,
    environments: {
      development: { strategies: [JSON.parse(JSON.stringify(strategy).replace('tier', field))] },
    },
  });

  const rejection = await clone(source, { name: `${source}-2` }, { project: otherProject });
  const sameProject = await clone(source, { name: `${source}-3` }, { project: owner });
  const withoutStrategies = await clone(
    source,
    { name: `${source}-4`, include: ['variants'] },
    { project: otherProject },
  );

  expect(rejection).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(getErrorMessages(rejection)).toEqual([
    `feature "${source}" uses context field "${field}" in environment "development", but project "${otherProject}" cannot use the field`,
  ]);
  expect([sameProject.status, withoutStrategies.status]).toEqual([200, 200]);
});

test('lists every unknown and duplicate environment in the mapping', async () => {
  await insertRichFeature(harness.db, { name: 'mapped' });

  const rejection = await clone('mapped', {
    name: 'mapped-2',
    environments: [
      { from: 'moon', to: 'development' },
      { from: 'development', to: 'mars' },
      { from: 'production', to: 'development' },
    ],
  });

  expect(rejection.status).toBe(400);
  expect(rejection.body.details.map((detail: { path: string }) => detail.path)).toEqual([
    '/body/environments/0/from',
    '/body/environments/1/to',
    '/body/environments/2/to',
  ]);
});

test('enforces the naming pattern and the feature limit of the target project, and lists a pattern error with other obstacles', async () => {
  await makeProject(harness.db, { id: 'strict' });
  await call(harness.app, 'PUT', `/api/admin/projects/strict/settings`, {
    body: { featureLimit: 1, featureNaming: { pattern: 'pay\\..+', example: 'pay.x' } },
  });
  await insertRichFeature(harness.db, { name: 'lax' });

  const patternRejection = await clone('lax', { name: 'lax-2' }, { project: 'strict' });
  const rejection = await clone(
    'lax',
    { name: 'lax-2', environments: [{ from: 'development', to: 'mars' }] },
    { project: 'strict' },
  );
  const firstClone = await clone('lax', { name: 'pay.1' }, { project: 'strict' });
  const secondClone = await clone('lax', { name: 'pay.2' }, { project: 'strict' });

  expect(patternRejection).toMatchObject({ status: 400, body: { name: 'PatternError' } });
  expect(rejection).toMatchObject({ status: 400, body: { name: 'PatternError' } });
  expect(getErrorMessages(rejection)).toHaveLength(2);
  expect(firstClone.status).toBe(200);
  expect(secondClone).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
});

test('a dry run returns the copies, omitted parts and required permissions, and creates nothing', async () => {
  await makeFullFeature('planned');
  const eventsBefore = await readEvents('planned-2');

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
  expect(copy.omitted.map((omission: { part: string }) => omission.part)).toEqual([
    'enabled',
    'stale',
    'links',
  ]);
  expect(await readEvents('planned-2')).toEqual(eventsBefore);
  expect((await call(harness.app, 'GET', `/api/admin/projects/default/features/planned-2`)).status).toBe(404);
});

test('a dry run with obstacles lists all of them and has no planId', async () => {
  await makeProject(harness.db, { id: 'fussy', environments: ['production'] });
  await call(harness.app, 'PUT', `/api/admin/projects/fussy/settings`, {
    body: { featureNaming: { pattern: 'pay\\..+' } },
  });
  await makeFullFeature('blocked');
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
  expect(body.copies[0].omitted).toContainEqual({
    part: 'environment',
    environment: 'development',
    reason: expect.any(String),
  });
  expect(body.permissions).toContainEqual({
    permission: 'CREATE_FEATURE_STRATEGY',
    environment: 'production',
    held: false,
  });
});

test('a clone with a planId executes the plan', async () => {
  await makeFullFeature('agreed');
  const plan = await clone('agreed', { name: 'agreed-2' }, { query: '?dryRun=true' });

  const response = await clone('agreed', { name: 'agreed-2', planId: plan.body.planId });

  expect(response.status).toBe(200);
  const secondResponse = await clone(
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
  const getContent = (copy: Planned) => [
    copy.environments.map(({ strategies, ...copyEnvironment }) => ({
      ...copyEnvironment,
      strategies: strategies.map(strategy => ({ ...strategy, copyOf: '' })),
    })),
    copy.tags,
    copy.dependencies,
    copy.type,
  ];
  expect(getContent(secondResponse.body.copies[0])).toEqual(getContent(plan.body.copies[0]));
});

test.each<[string, (name: string, project: string) => Promise<unknown>]>([
  [
    'the description of the source changed',
    name =>
      call(harness.app, 'PUT', `/api/admin/projects/default/features/${name}`, {
        body: { description: 'Other' },
      }),
  ],
  [
    'the source got one more strategy',
    name =>
      call(
        harness.app,
        'POST',
        `/api/admin/projects/default/features/${name}/environments/production/strategies`,
        {
          body: { name: 'default' },
        },
      ),
  ],
  [
    'the source was enabled',
    name =>
      call(harness.app, 'POST', `/api/admin/projects/default/features/${name}/environments/production/on`),
  ],
  [
    'the target project lost an environment',
    (_name, project) =>
      call(harness.app, 'DELETE', `/api/admin/projects/${project}/environments/development`),
  ],
  [
    'the target project reached its limit',
    (_name, project) =>
      call(harness.app, 'PUT', `/api/admin/projects/${project}/settings`, { body: { featureLimit: 0 } }),
  ],
  [
    'the name was taken',
    (name, project) =>
      call(harness.app, 'POST', `/api/admin/projects/${project}/features`, { body: { name: `${name}-2` } }),
  ],
])('rejects a planId with 409 after %s', async (cause, applyCause) => {
  const name = cause.replaceAll(' ', '-');
  const { id: project } = await makeProject(harness.db);
  await makeFullFeature(name, { dependencies: [] });
  const body = { name: `${name}-2`, project };
  const plan = await clone(name, body, { query: '?dryRun=true' });
  await applyCause(name, project);

  const rejection = await clone(name, { ...body, planId: plan.body.planId });

  expect(plan.body.planId).not.toBeNull();
  expect(rejection.status).toBe(409);
});

test('rejects a clone with every reason that a dry run lists', async () => {
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

  const rejection = await call(harness.app, 'POST', path, { body });
  const plan = await call(harness.app, 'POST', `${path}?dryRun=true`, { body });

  const messages = plan.body.obstacles.map(({ message }: { message: string }) => message);
  expect(messages).toHaveLength(3);
  expect(rejection.status).toBe(400);
  expect(rejection.body.details.map(({ message }: { message: string }) => message)).toEqual(messages);
});

test('reports an archived source or target project to callers who may read it', async () => {
  const { db, app } = harness;
  await makeProject(db, { id: 'archived-project' });
  await makeProject(db, { id: 'hidden-project', mode: 'private' });
  await insertRichFeature(db, { name: 'active-source' });
  await insertRichFeature(db, { name: 'archived-source' });
  await insertRichFeature(db, { name: 'archived-hidden', project: 'hidden-project' });
  for (const path of ['default/features/archived-source', 'hidden-project/features/archived-hidden'])
    await call(app, 'DELETE', `/api/admin/projects/${path}`);
  for (const id of ['archived-project', 'hidden-project'])
    await call(app, 'POST', `/api/admin/projects/archive/${id}`);
  const clone = (source: string, project: string, token?: string) =>
    call(app, 'POST', `/api/admin/projects/default/features/${source}/clone`, {
      body: { name: 'never-made', project },
      ...(token === undefined ? {} : { token }),
    });
  const editor = await makeUser(db, 'Editor');

  expect(await clone('archived-source', 'default')).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: 'Feature "archived-source" is archived. Revive it first.' },
  });
  expect(await clone('active-source', 'archived-project')).toMatchObject({
    status: 404,
    body: { name: 'NotFoundError', message: 'Project "archived-project" is archived. Revive it first.' },
  });
  expect((await clone('archived-hidden', 'default', editor.token)).body.message).toBe(
    'Feature "archived-hidden" does not exist.',
  );
  expect((await clone('active-source', 'hidden-project', editor.token)).body.message).toBe(
    'Project "hidden-project" does not exist.',
  );
});

/** Creates a project at its feature limit, with a naming pattern, and a caller who may create features but not strategies. */
async function makeFullProject(id: string) {
  await makeProject(harness.db, { id });
  await insertRichFeature(harness.db, { name: `${id}.first`, project: id });
  const settings = { featureLimit: 1, featureNaming: { pattern: `${id}\\..+`, example: `${id}.x` } };
  await call(harness.app, 'PUT', `/api/admin/projects/${id}/settings`, { body: settings });
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

test('lists obstacles of every kind, and rejects with the name and status of the first', async () => {
  const { db } = harness;
  const { token } = await makeFullProject('tight');
  const segment = await insertSegment(db, 'segment elsewhere', 'default');
  await insertRichFeature(db, { name: 'tied-parent' });
  await insertRichFeature(db, { name: 'tied-taken' });
  await insertRichFeature(db, {
    name: 'tied',
    dependencies: [{ feature: 'tied-parent', enabled: true, variants: [] }],
    environments: { development: { strategies: [{ segments: [segment] }] } },
  });
  const fullServer = await harness.secondServer({ limits: { ...DEFAULT_LIMITS, features: 1 } });
  const path = `/api/admin/projects/tight/features/tied/clone`;
  const body = { name: 'tied-taken' };

  const plan = await call(fullServer, 'POST', `${path}?dryRun=true`, { body, token });
  const rejection = await call(fullServer, 'POST', path, { body, token });

  const obstacles: { name: string; message: string }[] = plan.body.obstacles;
  expect(obstacles.map(({ name }) => name)).toEqual([
    'PatternError',
    'InvalidOperationError',
    'BadDataError',
    'BadDataError',
    'NoAccessError',
    'NameExistsError',
    'ExceedsLimitError',
  ]);
  expect(plan.body.planId).toBeNull();
  expect(rejection).toMatchObject({
    status: 400,
    body: {
      name: 'PatternError',
      message: expect.stringMatching(
        /^The clone is rejected for 7 reasons, listed in details\. .*permission/,
      ),
    },
  });
  expect(getErrorMessages(rejection)).toEqual(obstacles.map(({ message }) => message));
});

test('returns the message of a single obstacle unchanged', async () => {
  await insertRichFeature(harness.db, { name: 'single-reason' });

  const rejection = await clone('single-reason', { name: 'single-reason' });

  const message = 'Feature "single-reason" already exists in project "default". Choose another name.';
  expect(rejection).toMatchObject({ status: 409, body: { message } });
});

test('lists a missing source with the other reasons, and rejects with 404', async () => {
  await makeFullProject('narrow-names');
  await insertRichFeature(harness.db, { name: 'present' });
  const features = [
    { feature: 'absent', name: 'narrow-names.a' },
    { feature: 'present', name: 'narrow-names.a' },
    { feature: 'present', name: 'present' },
  ];

  const rejection = await cloneMany('narrow-names', { features });
  const plan = await cloneMany('narrow-names', { features }, '?dryRun=true');

  expect(rejection).toMatchObject({ status: 404, body: { name: 'NotFoundError' } });
  expect(getErrorMessages(rejection)).toEqual([
    'Feature "absent" does not exist.',
    expect.stringContaining('"present" does not'),
    expect.stringContaining('a limit of 1'),
    'name "narrow-names.a" is used for more than one copy',
    'Feature "present" already exists in project "default". Choose another name.',
  ]);
  expect(getErrorMessages(plan)).toEqual(getErrorMessages(rejection));
  expect(plan.status).toBe(404);
});

test('lists an invalid name, a repeated name and a missing source together', async () => {
  await insertRichFeature(harness.db, { name: 'several-source' });

  const rejection = await cloneMany('default', {
    features: [
      { feature: 'several-absent', name: 'several-1' },
      { feature: 'several-source', name: 'several-1' },
      { feature: 'several-source', name: 'not a name' },
    ],
  });

  expect(rejection).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(rejection.body.details.map(({ path }: { path: string }) => path)).toEqual([
    '/body/features/2/name',
    '/body/features/0/feature',
    '/body/features/1/name',
  ]);
});

test('rejects a query parameter that differs from dryRun only in case, and changes nothing', async () => {
  await insertRichFeature(harness.db, { name: 'case-source' });
  const body = { features: [{ feature: 'case-source', name: 'case-copy' }] };

  const singleClone = await clone('case-source', { name: 'case-copy' }, { query: '?dryrun=true' });
  const bulkClone = await cloneMany('default', body, '?DryRun=true');
  const unknownParameter = await clone('case-source', { name: 'case-other' }, { query: '?unknown=true' });

  expect(singleClone).toMatchObject({
    status: 400,
    body: {
      name: 'BadDataError',
      details: [
        {
          message: 'Unknown query parameter "dryrun". Did you mean "dryRun"?',
          path: '/query/dryrun',
        },
      ],
    },
  });
  expect(bulkClone).toMatchObject({ status: 400, body: { details: [{ path: '/query/DryRun' }] } });
  expect((await call(harness.app, 'GET', `/api/admin/projects/default/features/case-copy`)).status).toBe(404);
  expect(unknownParameter.status).toBe(200);
});

test('rejects copies that are larger than 8 MiB together, without revealing the size of a private feature', async () => {
  const values = Array.from({ length: 250 }, (_, index) => `${index}`.padEnd(100, 'x'));
  const constraints = Array.from({ length: 30 }, () => ({
    contextName: 'userId',
    operator: 'IN' as const,
    values,
    inverted: false,
    caseInsensitive: false,
  }));
  const large = { environments: { development: { strategies: [{ constraints }] } } };
  await makeProject(harness.db, { id: 'vault', mode: 'private' });
  await insertRichFeature(harness.db, { ...large, name: 'large' });
  await insertRichFeature(harness.db, { ...large, name: 'secret-large', project: 'vault' });
  const editor = await makeUser(harness.db, 'Editor');
  const copyTimes = (feature: string, times: number) => ({
    features: Array.from({ length: times }, (_, index) => ({
      feature,
      name: `${feature}-${times}-${index}`,
    })),
  });
  const planAsEditor = (body: object) =>
    call(harness.app, 'POST', '/api/admin/projects/default/clone?dryRun=true', { body, token: editor.token });

  const plan = await cloneMany('default', copyTimes('large', 12), '?dryRun=true');
  const copies = await cloneMany('default', copyTimes('large', 12));
  const fewerCopies = await cloneMany('default', copyTimes('large', 2), '?dryRun=true');
  const planOfPrivate = await planAsEditor(copyTimes('secret-large', 12));

  for (const rejection of [plan, copies]) {
    expect(rejection.status).toBe(400);
    expect(getErrorMessages(rejection)).toEqual([
      expect.stringMatching(/exceed 8 MiB in total.* Clone fewer features at a time\.$/),
    ]);
  }
  expect(fewerCopies.status).toBe(200);
  expect(planOfPrivate.status).toBe(404);
});
