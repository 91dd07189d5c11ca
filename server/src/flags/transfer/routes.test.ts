import { expect, test } from 'vitest';
import { duringTransaction } from '../../test/during.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { type Harness, useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';

const source = useHarness();
const target = useHarness();

const BATCH = '/api/admin/features-batch';
const constraint = { contextName: 'country', operator: 'IN', values: ['NO', 'SE'] };
const variant = (name: string) => ({ name, weight: 0, weightType: 'variable', stickiness: 'default' });

const post = async (instance: Harness, path: string, body: unknown, token?: string): Promise<ApiResponse> =>
  await call(instance.app, 'POST', path, { body, ...(token ? { token } : {}) });

/** Creates a feature that uses every possible setting, in the production environment of the default project. */
async function makeFullFeature(instance: Harness, name: string): Promise<void> {
  const featuresPath = '/api/admin/projects/default/features';
  const production = `${featuresPath}/${name}/environments/production`;
  await post(instance, '/api/admin/context', {
    name: 'country',
    legalValues: [{ value: 'NO' }, { value: 'SE' }],
  });
  await post(instance, '/api/admin/tag-types', { name: 'team', description: 'Owner', color: '#1A2B3C' });
  await post(instance, '/api/admin/segments', { name: 'europe', constraints: [] });
  const segments = (await call(instance.app, 'GET', '/api/admin/segments')).body.segments;
  const parent = `${name}-parent`;
  const responses = [
    await post(instance, featuresPath, { name: parent, type: 'operational', description: 'Above' }),
    await post(instance, featuresPath, {
      name,
      type: 'experiment',
      description: 'Whole',
      impressionData: true,
      tags: [{ type: 'team', value: 'blue' }],
    }),
    await post(instance, `${production}/strategies`, {
      name: 'flexibleRollout',
      title: 'First',
      parameters: { rollout: '25' },
      constraints: [constraint],
      segments: [segments[0].id],
      variants: [variant('a'), variant('b')],
    }),
    await post(instance, `${production}/strategies`, { name: 'remoteAddress', parameters: { IPs: '::1' } }),
    await post(instance, `${production}/on`, undefined),
    await call(instance.app, 'PUT', `${production}/variants`, { body: [variant('x'), variant('y')] }),
    await post(instance, `${featuresPath}/${name}/dependencies`, { feature: parent, variants: ['x'] }),
    await post(instance, `${featuresPath}/${name}/link`, { url: 'https://example.com/1', title: 'Ticket' }),
  ];
  for (const { status, body } of responses) expect(status, JSON.stringify(body)).toBeLessThan(300);
}

const exportFeatures = async (instance: Harness, features: string[]): Promise<ApiResponse> =>
  await post(instance, `${BATCH}/export`, { features, environment: 'production' });

/** Removes ids and times, which differ between instances. */
function withoutIdsAndTimes(body: ApiResponse['body']) {
  const names = new Map(body.segments.map(({ id, name }: { id: number; name: string }) => [id, name]));
  return {
    ...body,
    segments: body.segments.map(({ name }: { name: string }) => name),
    features: body.features.map(({ createdAt: _, ...feature }: { createdAt: string }) => feature),
    featureStrategies: body.featureStrategies.map(
      ({ id: _, segments, ...strategy }: { id: string; segments: number[] }) => ({
        ...strategy,
        segments: segments.map(id => names.get(id)),
      }),
    ),
  };
}

const minimalExport = (name: string, parts: object = {}) => ({
  features: [{ name }],
  featureStrategies: [],
  ...parts,
});
const importRequest = (data: object, project = 'default') => ({ project, environment: 'production', data });
const readLastEvents = async (instance: Harness, limit: number) =>
  (await call(instance.app, 'GET', `/api/admin/search/events?limit=${limit}`)).body.events.toReversed();

test('an exported feature is unchanged after an import into a different instance', async () => {
  await makeFullFeature(source, 'whole');
  const firstExport = await exportFeatures(source, ['whole', 'whole-parent']);
  await post(target, '/api/admin/segments', { name: 'another', constraints: [] });
  await post(target, '/api/admin/segments', { name: 'europe', constraints: [] });

  const validation = await post(target, `${BATCH}/validate`, importRequest(firstExport.body));
  const response = await post(target, `${BATCH}/import`, importRequest(firstExport.body));

  expect(firstExport.status).toBe(200);
  expect(validation).toMatchObject({ status: 200, body: { errors: [], warnings: [], permissions: [] } });
  expect([response.status, response.body]).toEqual([200, '']);
  const events = await readLastEvents(target, 13);
  const secondExport = await exportFeatures(target, ['whole', 'whole-parent']);
  expect(withoutIdsAndTimes(secondExport.body)).toEqual(withoutIdsAndTimes(firstExport.body));
  expect(new Set(events.map((event: { groupId: string }) => event.groupId)).size).toBe(1);
  expect(events.map((event: { type: string }) => event.type)).toEqual([
    'context-field-created',
    'tag-type-created',
    'tag-created',
    'feature-created',
    'feature-created',
    'feature-tagged',
    'feature-link-added',
    'feature-dependency-added',
    'feature-strategy-add',
    'feature-strategy-add',
    'feature-environment-variants-updated',
    'feature-environment-enabled',
    'features-imported',
  ]);
  expect(events.at(-1)).toMatchObject({ project: 'default', environment: 'production' });
});

test('normalizes imported strategies to a form that every SDK can read', async () => {
  const strategy = {
    featureName: 'sdk-form',
    name: 'flexibleRollout',
    parameters: { stickiness: 'userId' },
    constraints: [
      { contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.0.0.0/8 '] },
      { contextName: 'email', operator: 'REGEX', value: '@example', inverted: true },
      { contextName: 'currentTime', operator: 'DATE_AFTER', value: '2026-11-15' },
    ],
    variants: [
      { name: 'a', weight: 0, weightType: 'variable', stickiness: 'default', overrides: [], unknown: 1 },
    ],
  };

  const data = { features: [{ name: 'sdk-form' }], featureStrategies: [strategy] };
  const response = await post(source, `${BATCH}/import`, importRequest(data));

  expect(response.status).toBe(200);
  const [storedStrategy] = (await exportFeatures(source, ['sdk-form'])).body.featureStrategies;
  expect(storedStrategy).toMatchObject({
    parameters: { rollout: '100', stickiness: 'userId', groupId: 'sdk-form' },
    constraints: [
      { operator: 'IN_CIDR', values: ['10.0.0.0/8'] },
      { operator: 'REGEX', inverted: true },
      { value: '2026-11-15T00:00:00Z' },
    ],
  });
  expect(storedStrategy.variants).toEqual([
    { name: 'a', weight: 1000, weightType: 'variable', stickiness: 'userId' },
  ]);
});

test('importing the same data again changes nothing and records nothing', async () => {
  await makeFullFeature(source, 'again');
  const { body } = await exportFeatures(source, ['again', 'again-parent']);
  const [eventBefore] = await readLastEvents(source, 1);

  const response = await post(source, `${BATCH}/import`, importRequest(body));

  expect(response.status).toBe(200);
  expect((await readLastEvents(source, 1))[0].id).toBe(eventBefore.id);
});

test('importing an existing feature updates its fields, and its strategies only in the given environment', async () => {
  await makeFullFeature(source, 'older');
  const environmentsPath = '/api/admin/projects/default/features/older/environments';
  await post(source, `${environmentsPath}/development/strategies`, { name: 'default' });

  const validation = await post(source, `${BATCH}/validate`, importRequest(minimalExport('older')));
  const response = await post(
    source,
    `${BATCH}/import`,
    importRequest({
      features: [{ name: 'older', description: 'Newer', stale: true }],
      featureStrategies: [{ featureName: 'older', name: 'default', title: 'Only' }],
      featureEnvironments: [{ featureName: 'older', enabled: false }],
    }),
  );

  expect(validation.body.warnings).toMatchObject([
    { affectedItems: ['older'] },
    { affectedItems: ['older'] },
  ]);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  const { body } = await call(source.app, 'GET', '/api/admin/projects/default/features/older');
  const [development, production] = body.environments;
  expect(body).toMatchObject({ description: 'Newer', stale: true, type: 'experiment' });
  expect(body.tags).toHaveLength(1);
  expect(body.dependencies).toHaveLength(1);
  expect(development.strategies).toHaveLength(1);
  expect(production).toMatchObject({ enabled: false, strategies: [{ name: 'default', title: 'Only' }] });
  expect(production.variants).toHaveLength(2);
  const types = (await readLastEvents(source, 7)).map((event: { type: string }) => event.type);
  expect(types).toEqual([
    'feature-metadata-updated',
    'feature-stale-on',
    'feature-strategy-remove',
    'feature-strategy-remove',
    'feature-strategy-add',
    'feature-environment-disabled',
    'features-imported',
  ]);
});

test('imported strategies keep their order when they are given the same sort order', async () => {
  const strategiesPath = '/api/admin/projects/default/features/tied/environments/production/strategies';
  const titles = Array.from({ length: 8 }, (_, index) => `strategy ${index}`);
  const featureStrategies = titles.map(title => ({ featureName: 'tied', name: 'default', title }));
  await post(source, `${BATCH}/import`, importRequest(minimalExport('tied', { featureStrategies })));
  const addedStrategies = (await call(source.app, 'GET', strategiesPath)).body;

  await post(
    source,
    `${strategiesPath}/set-sort-order`,
    addedStrategies.map(({ id }: { id: string }) => ({ id, sortOrder: 1 })),
  );

  const { body } = await call(source.app, 'GET', strategiesPath);
  expect(
    body.map(({ title, sortOrder }: { title: string; sortOrder: number }) => [title, sortOrder]),
  ).toEqual(titles.map(title => [title, 1]));
});

test('exports by name, by project or by tag, but only what the caller may read', async () => {
  const privateProject = await makeProject(source.db, { mode: 'private' });
  await post(source, `/api/admin/projects/${privateProject.id}/features`, {
    name: 'hidden',
    tags: [{ type: 'simple', value: 'shared' }],
  });
  await post(source, '/api/admin/projects/default/features', {
    name: 'seen',
    tags: [{ type: 'simple', value: 'shared' }],
  });
  const viewer = await makeUser(source.db, 'Viewer');
  const exportWith = (query: object, token?: string) =>
    post(source, `${BATCH}/export`, { environment: 'production', ...query }, token);
  const names = ({ body }: ApiResponse) => body.features.map(({ name }: { name: string }) => name);

  expect(names(await exportWith({ tag: 'simple:shared' }))).toEqual(['hidden', 'seen']);
  expect(names(await exportWith({ project: privateProject.id }))).toEqual(['hidden']);
  expect(names(await exportWith({ tag: 'simple:shared' }, viewer.token))).toEqual(['seen']);
  expect(names(await exportWith({ project: privateProject.id }, viewer.token))).toEqual([]);
  expect((await exportWith({ features: ['hidden'] }, viewer.token)).status).toBe(404);
  expect((await exportWith({ features: ['nowhere'] })).status).toBe(404);
  for (const query of [{}, { features: ['seen'], project: 'default' }, { tag: 'simple' }]) {
    expect((await exportWith(query)).status).toBe(400);
  }
});

test('an export omits context fields of projects that the caller cannot read', async () => {
  const privateProject = await makeProject(source.db, { mode: 'private' });
  const featuresPath = '/api/admin/projects/default/features';
  await post(source, featuresPath, { name: 'names-a-field' });
  await post(source, `${featuresPath}/names-a-field/environments/production/strategies`, {
    name: 'default',
    constraints: [{ contextName: 'rank', operator: 'IN', values: ['general'] }],
  });
  await source.db
    .insertInto('context_fields')
    .values({
      name: 'rank',
      project: privateProject.id,
      description: 'Secret',
      legal_values: '[{"value":"general"}]',
    })
    .execute();
  const viewer = await makeUser(source.db, 'Viewer');
  const member = await makeUser(source.db, 'Viewer');
  await makeMember(source.db, member, privateProject.id, 'Member');
  const exportFieldsAs = async ({ token }: { token: string }) =>
    (await post(source, `${BATCH}/export`, { features: ['names-a-field'], environment: 'production' }, token))
      .body.contextFields;

  expect(await exportFieldsAs(viewer)).toEqual([]);
  expect(await exportFieldsAs(member)).toMatchObject([{ name: 'rank', description: 'Secret' }]);
});

test('rejects an export from an environment that does not exist', async () => {
  await post(source, '/api/admin/projects/default/features', { name: 'misspelled-environment' });

  const { status, body } = await post(source, `${BATCH}/export`, {
    features: ['misspelled-environment'],
    environment: 'prodution',
  });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    {
      message: 'environment "prodution" does not exist. GET /api/admin/environments lists the environments.',
      path: '/body/environment',
    },
  ]);
});

test('rejects an import into an environment that the project does not have, with the path of the field', async () => {
  const { status, body } = await post(source, `${BATCH}/import`, {
    project: 'default',
    environment: 'prodution',
    data: { features: [{ name: 'into-nowhere' }], featureStrategies: [] },
  });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    { message: 'Project "default" does not have this environment: prodution', path: '/body/environment' },
  ]);
});

test('sends an export as a file on request', async () => {
  await post(source, '/api/admin/projects/default/features', { name: 'filed' });
  const response = await post(source, `${BATCH}/export`, {
    features: ['filed'],
    environment: 'production',
    downloadFile: true,
  });

  expect(response.headers['content-disposition']).toBe('attachment; filename="features.json"');
});

test.each<[string, object, string[]]>([
  ['an unknown strategy type', { featureStrategies: [{ featureName: 'n', name: 'nope' }] }, ['nope']],
  ['an unknown feature type', { features: [{ name: 'n', type: 'nope' }] }, ['nope']],
  [
    'an unknown segment',
    {
      featureStrategies: [{ featureName: 'n', name: 'default', segments: [1] }],
      segments: [{ id: 1, name: 'nope' }],
    },
    ['nope'],
  ],
  [
    'a segment without a name',
    { featureStrategies: [{ featureName: 'n', name: 'default', segments: [77] }] },
    ['77'],
  ],
  [
    'a tag of an unknown type',
    { featureTags: [{ featureName: 'n', tagType: 'nope', tagValue: 'xx' }] },
    ['nope'],
  ],
  ['a duplicate feature', { features: [{ name: 'n' }, { name: 'n' }] }, ['n']],
  [
    'a strategy of a feature that is not in the data',
    { featureStrategies: [{ featureName: 'unlisted', name: 'default' }] },
    ['unlisted'],
  ],
  ['an unknown parent', { dependencies: [{ feature: 'n', dependencies: [{ feature: 'nope' }] }] }, ['nope']],
  [
    'a feature that is both parent and child',
    {
      features: [{ name: 'n' }, { name: 'm' }, { name: 'o' }],
      dependencies: [
        { feature: 'n', dependencies: [{ feature: 'm' }] },
        { feature: 'm', dependencies: [{ feature: 'o' }] },
      ],
    },
    ['m'],
  ],
  [
    'a constraint without values',
    {
      featureStrategies: [
        { featureName: 'n', name: 'default', constraints: [{ ...constraint, values: [] }] },
      ],
    },
    ['n'],
  ],
  [
    'weights that exceed the total',
    {
      featureEnvironments: [
        {
          featureName: 'n',
          enabled: true,
          variants: [
            { name: 'a', weight: 900, weightType: 'fix' },
            { name: 'b', weight: 900, weightType: 'fix' },
          ],
        },
      ],
    },
    ['n'],
  ],
  [
    'variants with different stickiness',
    {
      featureEnvironments: [
        {
          featureName: 'n',
          enabled: true,
          variants: [
            { name: 'a', weight: 0, stickiness: 'userId' },
            { name: 'b', weight: 0, stickiness: 'sessionId' },
          ],
        },
      ],
    },
    ['n'],
  ],
  [
    'an invalid IP address range',
    {
      featureStrategies: [
        {
          featureName: 'n',
          name: 'default',
          constraints: [{ contextName: 'remoteAddress', operator: 'IN_CIDR', values: ['10.1'] }],
        },
      ],
    },
    ['n'],
  ],
  [
    'a link with a javascript: URL',
    { links: [{ feature: 'n', links: [{ url: 'javascript:alert(1)' }] }] },
    ['n'],
  ],
  [
    'a rollout of 200',
    { featureStrategies: [{ featureName: 'n', name: 'flexibleRollout', parameters: { rollout: '200' } }] },
    ['n'],
  ],
])('validation reports %s and the import rejects it', async (_case, data, items) => {
  const request = importRequest({ ...minimalExport('n'), ...data });
  const validation = await post(source, `${BATCH}/validate`, request);
  const response = await post(source, `${BATCH}/import`, request);

  expect(validation.body.errors.map((error: { affectedItems: string[] }) => error.affectedItems)).toEqual([
    items,
  ]);
  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(response.body.details).toHaveLength(1);
  expect((await call(source.app, 'GET', '/api/admin/projects/default/features/n')).status).toBe(404);
});

test('reports a missing environment, taken names, an exceeded feature limit and a naming pattern violation in one response', async () => {
  const { id } = await makeProject(source.db, { environments: ['development'] });
  await call(source.app, 'PUT', `/api/admin/projects/${id}/settings`, {
    body: { featureLimit: 1, featureNaming: { pattern: 'x-.+' } },
  });
  await post(source, '/api/admin/projects/default/features', { name: 'taken' });
  const data = { features: [{ name: 'one' }, { name: 'two' }, { name: 'taken' }], featureStrategies: [] };

  const { body } = await post(source, `${BATCH}/validate`, importRequest(data, id));

  expect(body.errors.map((error: { affectedItems: string[] }) => error.affectedItems)).toEqual([
    ['production'],
    ['taken'],
    ['one', 'two'],
    ['one', 'two'],
  ]);
});

test('lists what an import would create, overwrite and omit', async () => {
  const project = (await makeProject(source.db)).id;
  const names = ['new', 'there', 'archived'].map(name => `${project}.${name}`);
  for (const name of names.slice(1)) await post(source, `/api/admin/projects/${project}/features`, { name });
  await call(source.app, 'DELETE', `/api/admin/projects/${project}/features/${names[2]}`);
  const data = {
    features: names.map(name => ({ name })),
    featureStrategies: [],
    contextFields: [{ name: 'userId' }, { name: 'planet' }],
    tagTypes: [{ name: 'simple' }, { name: 'squad' }],
  };

  const { status, body } = await post(source, `${BATCH}/validate`, importRequest(data, project));

  expect(status).toBe(200);
  expect(body.effect).toEqual({
    created: [names[0]],
    overwritten: [names[1]],
    leftOut: [names[2]],
    contextFields: ['planet'],
    tagTypes: ['squad'],
  });
});

test('validation warns about an archived feature, and the import leaves it unchanged', async () => {
  await post(source, '/api/admin/projects/default/features', { name: 'resting' });
  await call(source.app, 'DELETE', '/api/admin/projects/default/features/resting');
  const request = importRequest({
    features: [{ name: 'resting', description: 'Awake' }],
    featureStrategies: [],
  });

  const validation = await post(source, `${BATCH}/validate`, request);
  const response = await post(source, `${BATCH}/import`, request);

  expect(validation.body.warnings).toMatchObject([{ affectedItems: ['resting'] }]);
  expect(response.status).toBe(200);
  const { body } = await call(source.app, 'GET', '/api/admin/projects/default/features/resting');
  expect(body.archived).toBe(true);
  expect(body).not.toHaveProperty('description');
});

test('validation does not reveal whether a feature of a different project is archived', async () => {
  const privateProject = await makeProject(source.db, { mode: 'private' });
  const featuresPath = `/api/admin/projects/${privateProject.id}/features`;
  for (const name of ['hidden-active', 'hidden-resting']) await post(source, featuresPath, { name });
  await call(source.app, 'DELETE', `${featuresPath}/hidden-resting`);
  const viewer = await makeUser(source.db, 'Viewer');

  const reports = [];
  for (const name of ['hidden-active', 'hidden-resting']) {
    const request = importRequest({
      features: [{ name }],
      featureStrategies: [],
      featureEnvironments: [
        { featureName: name, environment: 'production', name: 'production', enabled: true },
      ],
    });
    const { body } = await post(source, `${BATCH}/validate`, request, viewer.token);
    reports.push(JSON.stringify(body).replaceAll(name, 'NAME'));
  }

  expect(reports[0]).toContain('exist in a different project');
  expect(reports[1]).toBe(reports[0]);
});

test('lists missing permissions, and responds with 404 for a project that the caller cannot read', async () => {
  const project = await makeProject(source.db, { mode: 'private' });
  const [member, reader, stranger] = [
    await makeUser(source.db, 'Viewer'),
    await makeUser(source.db, 'Viewer'),
    await makeUser(source.db, 'Viewer'),
  ];
  await makeMember(source.db, member, project.id, 'Member');
  await makeMember(source.db, reader, project.id, 'Reader');
  const request = importRequest(minimalExport('private-flag', { tagTypes: [{ name: 'fresh' }] }), project.id);

  const [memberValidation, readerValidation] = [
    await post(source, `${BATCH}/validate`, request, member.token),
    await post(source, `${BATCH}/validate`, request, reader.token),
  ];
  const readerImport = await post(source, `${BATCH}/import`, request, reader.token);
  const strangerImport = await post(source, `${BATCH}/import`, request, stranger.token);
  const memberImport = await post(
    source,
    `${BATCH}/import`,
    importRequest(minimalExport('private-flag'), project.id),
    member.token,
  );

  expect(memberValidation.body.permissions).toMatchObject([{ affectedItems: ['CREATE_TAG_TYPE'] }]);
  expect(readerValidation.body.permissions[0].affectedItems).toContain('CREATE_FEATURE');
  expect([readerImport.status, strangerImport.status, memberImport.status]).toEqual([403, 404, 200]);
});

test('a permission for one environment applies only in that environment, even from a root role', async () => {
  const project = await makeProject(source.db);
  const { roles: role } = (
    await post(source, '/api/admin/roles', {
      name: 'Importer',
      type: 'root-custom',
      permissions: [
        { name: 'CREATE_FEATURE' },
        { name: 'CREATE_FEATURE_STRATEGY', environment: 'production' },
        { name: 'UPDATE_FEATURE_ENVIRONMENT' },
      ],
    })
  ).body;
  const importer = await makeUser(source.db, 'Viewer');
  const group = { name: 'Importers', rootRole: role.id, users: [{ user: { id: importer.id } }] };
  await post(source, '/api/admin/groups', group);
  const data = {
    features: [{ name: 'by-role' }],
    featureStrategies: [{ name: 'default', featureName: 'by-role', parameters: {} }],
  };
  const check = async (environment: string) =>
    (await post(source, `${BATCH}/validate`, { project: project.id, environment, data }, importer.token)).body
      .permissions;

  expect(await check('production')).toEqual([]);
  expect(await check('development')).toMatchObject([{ affectedItems: ['CREATE_FEATURE_STRATEGY'] }]);
});

test('rejects the whole import if a feature with the same name is created concurrently', async () => {
  const request = importRequest({
    features: [{ name: 'race-1' }, { name: 'race-2' }],
    featureStrategies: [],
  });

  const response = await duringTransaction(
    source.db,
    async tx => {
      const row = { name: 'race-2', project: 'default', type: 'release' };
      await tx.insertInto('features').values(row).execute();
    },
    () => post(source, `${BATCH}/import`, request),
  );

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect((await call(source.app, 'GET', '/api/admin/projects/default/features/race-1')).status).toBe(404);
});

test('validating, importing and exporting take the same number of statements for 1 and for 12 features', async () => {
  const count = async (work: () => Promise<ApiResponse>): Promise<number> => {
    const statementsBefore = source.statements.length;
    const { status, body } = await work();
    expect(status, JSON.stringify(body)).toBe(200);
    return source.statements.length - statementsBefore;
  };
  const countStatements = async (names: string[]) => {
    const data = {
      features: names.map(name => ({ name })),
      featureStrategies: names.flatMap(featureName => [
        { featureName, name: 'default' },
        { featureName, name: 'flexibleRollout', constraints: [constraint] },
      ]),
      featureEnvironments: names.map(featureName => ({
        featureName,
        enabled: true,
        variants: [variant('v')],
      })),
      featureTags: names.map(featureName => ({
        featureName,
        tagType: 'simple',
        tagValue: `of-${featureName}`,
      })),
    };
    return [
      await count(() => post(source, `${BATCH}/validate`, importRequest(data))),
      await count(() => post(source, `${BATCH}/import`, importRequest(data))),
      await count(() => exportFeatures(source, names)),
    ];
  };
  await post(source, '/api/admin/projects/default/features', { name: 'warm' });

  const singleCounts = await countStatements(['count-0']);
  const dozenCounts = await countStatements(Array.from({ length: 12 }, (_, n) => `count-${n + 1}`));

  expect(dozenCounts).toEqual(singleCounts);
});

test('validation and import reject a context field that exists in a different project', async () => {
  await makeProject(source.db, { id: 'field-owner' });
  await post(source, '/api/admin/projects/field-owner/context', { name: 'owned-elsewhere' });
  const data = {
    features: [{ name: 'with-foreign-field' }],
    featureStrategies: [{ featureName: 'with-foreign-field', name: 'default' }],
    contextFields: [{ name: 'owned-elsewhere' }],
  };

  const validated = await post(source, `${BATCH}/validate`, importRequest(data));
  const response = await post(source, `${BATCH}/import`, importRequest(data));

  const message = 'Context fields with these names exist in a different project';
  expect(validated.body.errors).toEqual([{ message, affectedItems: ['owned-elsewhere'] }]);
  expect(response).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
});
