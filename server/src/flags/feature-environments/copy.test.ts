import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { insertRichFeature, insertSegment } from '../../test/rich-feature.ts';

const harness = useHarness();
const PROJECTS_PATH = '/api/admin/projects';

const copy = (
  name: string,
  targetEnvironment: string,
  body: object,
  token?: string,
  project = 'default',
): Promise<ApiResponse> =>
  call(
    harness.app,
    'POST',
    `${PROJECTS_PATH}/${project}/features/${name}/environments/${targetEnvironment}/copy`,
    {
      body,
      ...(token === undefined ? {} : { token }),
    },
  );
const readEventTypes = async (name: string): Promise<string[]> => {
  const { rows } = await sql<{ type: string }>`
    select type from events where feature_name = ${name} order by id`.execute(harness.db);
  return rows.map(row => row.type);
};

const VARIANTS = [{ name: 'blue', weight: 1_000, weightType: 'variable' as const, stickiness: 'default' }];

async function makeSource(name: string, project = 'default', enabled = false): Promise<number> {
  const segment = await insertSegment(harness.db, `segment of ${name}`);
  await insertRichFeature(harness.db, {
    name,
    project,
    environments: {
      development: {
        enabled: true,
        variants: VARIANTS,
        strategies: [
          { name: 'flexibleRollout', sortOrder: 2, title: 'Later', segments: [segment] },
          { name: 'default', sortOrder: 2, title: 'Last' },
        ],
      },
      production: { enabled, strategies: [{ name: 'remoteAddress', title: 'Goes' }] },
    },
  });
  return segment;
}

test('copies strategies and variants but not the enabled state', async () => {
  const segment = await makeSource('copied');

  const { status, body } = await copy('copied', 'production', { from: 'development' });

  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: 'production',
    enabled: false,
    variants: VARIANTS,
    strategies: [
      { title: 'Later', sortOrder: 2, segments: [segment] },
      { title: 'Last', sortOrder: 2 },
    ],
  });
  expect(await readEventTypes('copied')).toEqual([
    'feature-strategy-remove',
    'feature-strategy-add',
    'feature-strategy-add',
    'feature-environment-variants-updated',
  ]);
});

test('copying to an environment with the same content changes and records nothing', async () => {
  await makeSource('repeated');
  const firstCopy = await copy('repeated', 'production', { from: 'development' });
  const eventTypes = await readEventTypes('repeated');

  const secondCopy = await copy('repeated', 'production', { from: 'development' });

  expect(secondCopy.body).toEqual(firstCopy.body);
  expect(await readEventTypes('repeated')).toEqual(eventTypes);
});

test('copies only the strategies or only the variants if asked to', async () => {
  await makeSource('halved');

  const { body: variants } = await copy('halved', 'production', {
    from: 'development',
    include: ['variants'],
  });

  expect(variants).toMatchObject({ variants: VARIANTS, strategies: [{ title: 'Goes' }] });
  const { body: strategies } = await copy('halved', 'development', {
    from: 'production',
    include: ['strategies'],
  });
  expect(strategies).toMatchObject({ variants: VARIANTS, strategies: [{ title: 'Goes' }] });
});

test.each([
  ['an environment the feature does not have', { from: 'moon' }],
  ['the environment itself', { from: 'production' }],
  ['an unknown part', { from: 'development', include: ['tags'] }],
  ['an unknown field', { from: 'development', nonsense: 1 }],
])('rejects %s', async (description, body) => {
  const name = description.replaceAll(' ', '-');
  await makeSource(name);

  expect(await copy(name, 'production', body)).toMatchObject({ status: 400, body: { name: 'BadDataError' } });
  expect(await readEventTypes(name)).toEqual([]);
});

test('a copy that removes strategies requires the permission to delete them', async () => {
  await makeProject(harness.db, { id: 'limited' });
  await makeSource('kept', 'limited');
  const user = await makeUser(harness.db, 'Viewer');
  const { rows } = await sql<{ id: number }>`
    insert into roles (name, type) values ('Adder', 'custom') returning id`.execute(harness.db);
  await sql`
    insert into role_permissions (role_id, permission)
    values (${rows[0]?.id}, 'CREATE_FEATURE_STRATEGY'), (${rows[0]?.id}, 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS')`.execute(
    harness.db,
  );
  await sql`
    insert into user_roles (user_id, role_id, project) values (${user.id}, ${rows[0]?.id}, 'limited')`.execute(
    harness.db,
  );

  const rejection = await copy('kept', 'production', { from: 'development' }, user.token, 'limited');
  const response = await copy(
    'kept',
    'production',
    { from: 'development', include: ['variants'] },
    user.token,
    'limited',
  );

  expect(rejection).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
  expect(rejection.body.message).toContain('DELETE_FEATURE_STRATEGY');
  expect(response.status).toBe(200);
});

test('rejects an archived feature', async () => {
  await makeSource('away');
  await call(harness.app, 'DELETE', `${PROJECTS_PATH}/default/features/away`);

  expect(await copy('away', 'production', { from: 'development' })).toMatchObject({ status: 403 });
});
