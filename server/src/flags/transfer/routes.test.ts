import { expect, test } from 'vitest';
import { during } from '../../test/during.ts';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { type Harness, useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';

const here = useHarness();
const there = useHarness();

const BATCH = '/api/admin/features-batch';
const constraint = { contextName: 'country', operator: 'IN', values: ['NO', 'SE'] };
const variant = (name: string) => ({ name, weight: 0, weightType: 'variable', stickiness: 'default' });

const ask = async (instance: Harness, path: string, body: unknown, token?: string): Promise<ApiResponse> =>
  await call(instance.app, 'POST', path, { body, ...(token ? { token } : {}) });

/** A feature with every part, in production of the default project. */
async function makeWhole(instance: Harness, name: string): Promise<void> {
  const place = '/api/admin/projects/default/features';
  const production = `${place}/${name}/environments/production`;
  await ask(instance, '/api/admin/context', {
    name: 'country',
    legalValues: [{ value: 'NO' }, { value: 'SE' }],
  });
  await ask(instance, '/api/admin/tag-types', { name: 'team', description: 'Owner', color: '#1A2B3C' });
  await ask(instance, '/api/admin/segments', { name: 'europe', constraints: [] });
  const segments = (await call(instance.app, 'GET', '/api/admin/segments')).body.segments;
  const parent = `${name}-parent`;
  const responses = [
    await ask(instance, place, { name: parent, type: 'operational', description: 'Above' }),
    await ask(instance, place, {
      name,
      type: 'experiment',
      description: 'Whole',
      impressionData: true,
      tags: [{ type: 'team', value: 'blue' }],
    }),
    await ask(instance, `${production}/strategies`, {
      name: 'flexibleRollout',
      title: 'First',
      parameters: { rollout: '25' },
      constraints: [constraint],
      segments: [segments[0].id],
      variants: [variant('a'), variant('b')],
    }),
    await ask(instance, `${production}/strategies`, { name: 'remoteAddress', parameters: { IPs: '::1' } }),
    await ask(instance, `${production}/on`, undefined),
    await call(instance.app, 'PUT', `${production}/variants`, { body: [variant('x'), variant('y')] }),
    await ask(instance, `${place}/${name}/dependencies`, { feature: parent, variants: ['x'] }),
    await ask(instance, `${place}/${name}/link`, { url: 'https://example.com/1', title: 'Ticket' }),
  ];
  for (const { status, body } of responses) expect(status, JSON.stringify(body)).toBeLessThan(300);
}

const exported = async (instance: Harness, features: string[]): Promise<ApiResponse> =>
  await ask(instance, `${BATCH}/export`, { features, environment: 'production' });

/** Removes ids and times, which differ between instances. */
function comparable(body: ApiResponse['body']) {
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

const bare = (name: string, rest: object = {}) => ({ features: [{ name }], featureStrategies: [], ...rest });
const into = (data: object, project = 'default') => ({ project, environment: 'production', data });
const lastEvents = async (instance: Harness, limit: number) =>
  (await call(instance.app, 'GET', `/api/admin/search/events?limit=${limit}`)).body.events.toReversed();

test('an exported feature is the same after an import into another instance', async () => {
  await makeWhole(here, 'whole');
  const taken = await exported(here, ['whole', 'whole-parent']);
  await ask(there, '/api/admin/segments', { name: 'another', constraints: [] });
  await ask(there, '/api/admin/segments', { name: 'europe', constraints: [] });

  const checked = await ask(there, `${BATCH}/validate`, into(taken.body));
  const imported = await ask(there, `${BATCH}/import`, into(taken.body));

  expect(taken.status).toBe(200);
  expect(checked).toMatchObject({ status: 200, body: { errors: [], warnings: [], permissions: [] } });
  expect([imported.status, imported.body]).toEqual([200, '']);
  const events = await lastEvents(there, 13);
  const back = await exported(there, ['whole', 'whole-parent']);
  expect(comparable(back.body)).toEqual(comparable(taken.body));
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

test('imports strategies in the form that every SDK reads', async () => {
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
  const imported = await ask(here, `${BATCH}/import`, into(data));

  expect(imported.status).toBe(200);
  const [stored] = (await exported(here, ['sdk-form'])).body.featureStrategies;
  expect(stored).toMatchObject({
    parameters: { rollout: '100', stickiness: 'userId', groupId: 'sdk-form' },
    constraints: [
      { operator: 'IN_CIDR', values: ['10.0.0.0/8'] },
      { operator: 'REGEX', inverted: true },
      { value: '2026-11-15T00:00:00Z' },
    ],
  });
  expect(stored.variants).toEqual([
    { name: 'a', weight: 1000, weightType: 'variable', stickiness: 'userId' },
  ]);
});

test('importing the same data again changes nothing and records nothing', async () => {
  await makeWhole(here, 'again');
  const { body } = await exported(here, ['again', 'again-parent']);
  const [before] = await lastEvents(here, 1);

  const response = await ask(here, `${BATCH}/import`, into(body));

  expect(response.status).toBe(200);
  expect((await lastEvents(here, 1))[0].id).toBe(before.id);
});

test('overwrites an existing feature in that environment only', async () => {
  await makeWhole(here, 'older');
  const place = '/api/admin/projects/default/features/older/environments';
  await ask(here, `${place}/development/strategies`, { name: 'default' });

  const checked = await ask(here, `${BATCH}/validate`, into(bare('older')));
  const response = await ask(
    here,
    `${BATCH}/import`,
    into({
      features: [{ name: 'older', description: 'Newer', stale: true }],
      featureStrategies: [{ featureName: 'older', name: 'default', title: 'Only' }],
      featureEnvironments: [{ featureName: 'older', enabled: false }],
    }),
  );

  expect(checked.body.warnings).toMatchObject([{ affectedItems: ['older'] }, { affectedItems: ['older'] }]);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  const { body } = await call(here.app, 'GET', '/api/admin/projects/default/features/older');
  const [development, production] = body.environments;
  expect(body).toMatchObject({ description: 'Newer', stale: true, type: 'experiment' });
  expect(body.tags).toHaveLength(1);
  expect(body.dependencies).toHaveLength(1);
  expect(development.strategies).toHaveLength(1);
  expect(production).toMatchObject({ enabled: false, strategies: [{ name: 'default', title: 'Only' }] });
  expect(production.variants).toHaveLength(2);
  const types = (await lastEvents(here, 7)).map((event: { type: string }) => event.type);
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

test('imported strategies keep their order when they get the same sort order', async () => {
  const place = '/api/admin/projects/default/features/tied/environments/production/strategies';
  const titles = Array.from({ length: 8 }, (_, at) => `strategy ${at}`);
  const featureStrategies = titles.map(title => ({ featureName: 'tied', name: 'default', title }));
  await ask(here, `${BATCH}/import`, into(bare('tied', { featureStrategies })));
  const added = (await call(here.app, 'GET', place)).body;

  await ask(
    here,
    `${place}/set-sort-order`,
    added.map(({ id }: { id: string }) => ({ id, sortOrder: 1 })),
  );

  const { body } = await call(here.app, 'GET', place);
  expect(
    body.map(({ title, sortOrder }: { title: string; sortOrder: number }) => [title, sortOrder]),
  ).toEqual(titles.map(title => [title, 1]));
});

test('exports by name, by project or by tag, only what the caller may read', async () => {
  const secret = await makeProject(here.db, { mode: 'private' });
  await ask(here, `/api/admin/projects/${secret.id}/features`, {
    name: 'hidden',
    tags: [{ type: 'simple', value: 'shared' }],
  });
  await ask(here, '/api/admin/projects/default/features', {
    name: 'seen',
    tags: [{ type: 'simple', value: 'shared' }],
  });
  const viewer = await makeUser(here.db, 'Viewer');
  const take = (query: object, token?: string) =>
    ask(here, `${BATCH}/export`, { environment: 'production', ...query }, token);
  const names = ({ body }: ApiResponse) => body.features.map(({ name }: { name: string }) => name);

  expect(names(await take({ tag: 'simple:shared' }))).toEqual(['hidden', 'seen']);
  expect(names(await take({ project: secret.id }))).toEqual(['hidden']);
  expect(names(await take({ tag: 'simple:shared' }, viewer.token))).toEqual(['seen']);
  expect(names(await take({ project: secret.id }, viewer.token))).toEqual([]);
  expect((await take({ features: ['hidden'] }, viewer.token)).status).toBe(404);
  expect((await take({ features: ['nowhere'] })).status).toBe(404);
  for (const query of [{}, { features: ['seen'], project: 'default' }, { tag: 'simple' }]) {
    expect((await take(query)).status).toBe(400);
  }
});

test('an export has no context field of a project that the caller may not read', async () => {
  const secret = await makeProject(here.db, { mode: 'private' });
  const place = '/api/admin/projects/default/features';
  await ask(here, place, { name: 'names-a-field' });
  await ask(here, `${place}/names-a-field/environments/production/strategies`, {
    name: 'default',
    constraints: [{ contextName: 'rank', operator: 'IN', values: ['general'] }],
  });
  await here.db
    .insertInto('context_fields')
    .values({
      name: 'rank',
      project: secret.id,
      description: 'Secret',
      legal_values: '[{"value":"general"}]',
    })
    .execute();
  const viewer = await makeUser(here.db, 'Viewer');
  const member = await makeUser(here.db, 'Viewer');
  await makeMember(here.db, member, secret.id, 'Member');
  const fieldsFor = async ({ token }: { token: string }) =>
    (await ask(here, `${BATCH}/export`, { features: ['names-a-field'], environment: 'production' }, token))
      .body.contextFields;

  expect(await fieldsFor(viewer)).toEqual([]);
  expect(await fieldsFor(member)).toMatchObject([{ name: 'rank', description: 'Secret' }]);
});

test('rejects the export of an environment that does not exist', async () => {
  await ask(here, '/api/admin/projects/default/features', { name: 'misspelt-environment' });

  const { status, body } = await ask(here, `${BATCH}/export`, {
    features: ['misspelt-environment'],
    environment: 'prodution',
  });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    { message: 'environment "prodution" does not exist', path: '/body/environment' },
  ]);
});

test('points to the environment when the project of an import does not have it', async () => {
  const { status, body } = await ask(here, `${BATCH}/import`, {
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
  await ask(here, '/api/admin/projects/default/features', { name: 'filed' });
  const response = await ask(here, `${BATCH}/export`, {
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
    'weights above the total',
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
    'variants of different stickiness',
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
    'an invalid address range',
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
  ['a link with a script URL', { links: [{ feature: 'n', links: [{ url: 'javascript:alert(1)' }] }] }, ['n']],
  [
    'a rollout of 200',
    { featureStrategies: [{ featureName: 'n', name: 'flexibleRollout', parameters: { rollout: '200' } }] },
    ['n'],
  ],
])('validation reports %s and the import rejects it', async (_case, data, items) => {
  const request = into({ ...bare('n'), ...data });
  const checked = await ask(here, `${BATCH}/validate`, request);
  const imported = await ask(here, `${BATCH}/import`, request);

  expect(checked.body.errors.map((one: { affectedItems: string[] }) => one.affectedItems)).toEqual([items]);
  expect(imported).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(imported.body.details).toHaveLength(1);
  expect((await call(here.app, 'GET', '/api/admin/projects/default/features/n')).status).toBe(404);
});

test('reports naming pattern, feature limit, missing environment and taken names together', async () => {
  const { id } = await makeProject(here.db, { environments: ['development'] });
  await call(here.app, 'PUT', `/api/admin/projects/${id}/settings`, {
    body: { featureLimit: 1, featureNaming: { pattern: 'x-.+' } },
  });
  await ask(here, '/api/admin/projects/default/features', { name: 'taken' });
  const data = { features: [{ name: 'one' }, { name: 'two' }, { name: 'taken' }], featureStrategies: [] };

  const { body } = await ask(here, `${BATCH}/validate`, into(data, id));

  expect(body.errors.map((one: { affectedItems: string[] }) => one.affectedItems)).toEqual([
    ['production'],
    ['taken'],
    ['one', 'two'],
    ['one', 'two'],
  ]);
});

test('lists what an import would create, overwrite and leave out', async () => {
  const project = (await makeProject(here.db)).id;
  const names = ['new', 'there', 'archived'].map(name => `${project}.${name}`);
  for (const name of names.slice(1)) await ask(here, `/api/admin/projects/${project}/features`, { name });
  await call(here.app, 'DELETE', `/api/admin/projects/${project}/features/${names[2]}`);
  const data = {
    features: names.map(name => ({ name })),
    featureStrategies: [],
    contextFields: [{ name: 'userId' }, { name: 'planet' }],
    tagTypes: [{ name: 'simple' }, { name: 'squad' }],
  };

  const { status, body } = await ask(here, `${BATCH}/validate`, into(data, project));

  expect(status).toBe(200);
  expect(body.effect).toEqual({
    created: [names[0]],
    overwritten: [names[1]],
    leftOut: [names[2]],
    contextFields: ['planet'],
    tagTypes: ['squad'],
  });
});

test('an import does not change an archived feature, and validation warns about it', async () => {
  await ask(here, '/api/admin/projects/default/features', { name: 'resting' });
  await call(here.app, 'DELETE', '/api/admin/projects/default/features/resting');
  const request = into({ features: [{ name: 'resting', description: 'Awake' }], featureStrategies: [] });

  const checked = await ask(here, `${BATCH}/validate`, request);
  const imported = await ask(here, `${BATCH}/import`, request);

  expect(checked.body.warnings).toMatchObject([{ affectedItems: ['resting'] }]);
  expect(imported.status).toBe(200);
  const { body } = await call(here.app, 'GET', '/api/admin/projects/default/features/resting');
  expect(body.archived).toBe(true);
  expect(body).not.toHaveProperty('description');
});

test('validation does not reveal whether a feature of a different project is archived', async () => {
  const secret = await makeProject(here.db, { mode: 'private' });
  const place = `/api/admin/projects/${secret.id}/features`;
  for (const name of ['hidden-active', 'hidden-resting']) await ask(here, place, { name });
  await call(here.app, 'DELETE', `${place}/hidden-resting`);
  const viewer = await makeUser(here.db, 'Viewer');

  const reports = [];
  for (const name of ['hidden-active', 'hidden-resting']) {
    const request = into({
      features: [{ name }],
      featureStrategies: [],
      featureEnvironments: [
        { featureName: name, environment: 'production', name: 'production', enabled: true },
      ],
    });
    const { body } = await ask(here, `${BATCH}/validate`, request, viewer.token);
    reports.push(JSON.stringify(body).replaceAll(name, 'NAME'));
  }

  expect(reports[0]).toContain('exist in a different project');
  expect(reports[1]).toBe(reports[0]);
});

test('lists missing permissions, and responds with 404 for an unreadable project', async () => {
  const project = await makeProject(here.db, { mode: 'private' });
  const [member, reader, stranger] = [
    await makeUser(here.db, 'Viewer'),
    await makeUser(here.db, 'Viewer'),
    await makeUser(here.db, 'Viewer'),
  ];
  await makeMember(here.db, member, project.id, 'Member');
  await makeMember(here.db, reader, project.id, 'Reader');
  const request = into(bare('private-flag', { tagTypes: [{ name: 'fresh' }] }), project.id);

  const [ofMember, ofReader] = [
    await ask(here, `${BATCH}/validate`, request, member.token),
    await ask(here, `${BATCH}/validate`, request, reader.token),
  ];
  const refused = await ask(here, `${BATCH}/import`, request, reader.token);
  const unseen = await ask(here, `${BATCH}/import`, request, stranger.token);
  const plain = await ask(here, `${BATCH}/import`, into(bare('private-flag'), project.id), member.token);

  expect(ofMember.body.permissions).toMatchObject([{ affectedItems: ['CREATE_TAG_TYPE'] }]);
  expect(ofReader.body.permissions[0].affectedItems).toContain('CREATE_FEATURE');
  expect([refused.status, unseen.status, plain.status]).toEqual([403, 404, 200]);
});

test('a permission for one environment applies there, including one of a root role', async () => {
  const project = await makeProject(here.db);
  const { roles: role } = (
    await ask(here, '/api/admin/roles', {
      name: 'Importer',
      type: 'root-custom',
      permissions: [
        { name: 'CREATE_FEATURE' },
        { name: 'CREATE_FEATURE_STRATEGY', environment: 'production' },
        { name: 'UPDATE_FEATURE_ENVIRONMENT' },
      ],
    })
  ).body;
  const importer = await makeUser(here.db, 'Viewer');
  const group = { name: 'Importers', rootRole: role.id, users: [{ user: { id: importer.id } }] };
  await ask(here, '/api/admin/groups', group);
  const data = {
    features: [{ name: 'by-role' }],
    featureStrategies: [{ name: 'default', featureName: 'by-role', parameters: {} }],
  };
  const check = async (environment: string) =>
    (await ask(here, `${BATCH}/validate`, { project: project.id, environment, data }, importer.token)).body
      .permissions;

  expect(await check('production')).toEqual([]);
  expect(await check('development')).toMatchObject([{ affectedItems: ['CREATE_FEATURE_STRATEGY'] }]);
});

test('a concurrently created feature with the same name fails the whole import', async () => {
  const request = into({ features: [{ name: 'race-1' }, { name: 'race-2' }], featureStrategies: [] });

  const response = await during(
    here.db,
    async tx => {
      const row = { name: 'race-2', project: 'default', type: 'release' };
      await tx.insertInto('features').values(row).execute();
    },
    () => ask(here, `${BATCH}/import`, request),
  );

  expect(response).toMatchObject({ status: 409, body: { name: 'NameExistsError' } });
  expect((await call(here.app, 'GET', '/api/admin/projects/default/features/race-1')).status).toBe(404);
});

test('exporting, validating and importing twelve features costs as many statements as one', async () => {
  const count = async (work: () => Promise<ApiResponse>): Promise<number> => {
    const before = here.statements.length;
    const { status, body } = await work();
    expect(status, JSON.stringify(body)).toBe(200);
    return here.statements.length - before;
  };
  const counted = async (names: string[]) => {
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
      await count(() => ask(here, `${BATCH}/validate`, into(data))),
      await count(() => ask(here, `${BATCH}/import`, into(data))),
      await count(() => exported(here, names)),
    ];
  };
  await ask(here, '/api/admin/projects/default/features', { name: 'warm' });

  const one = await counted(['count-0']);
  const twelve = await counted(Array.from({ length: 12 }, (_, n) => `count-${n + 1}`));

  expect(twelve).toEqual(one);
});

test('validation and import reject a context field that exists in a different project', async () => {
  await makeProject(here.db, { id: 'field-owner' });
  await ask(here, '/api/admin/projects/field-owner/context', { name: 'owned-elsewhere' });
  const data = {
    features: [{ name: 'with-foreign-field' }],
    featureStrategies: [{ featureName: 'with-foreign-field', name: 'default' }],
    contextFields: [{ name: 'owned-elsewhere' }],
  };

  const validated = await ask(here, `${BATCH}/validate`, into(data));
  const imported = await ask(here, `${BATCH}/import`, into(data));

  const message = 'Context fields with these names exist in a different project';
  expect(validated.body.errors).toEqual([{ message, affectedItems: ['owned-elsewhere'] }]);
  expect(imported).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
});
