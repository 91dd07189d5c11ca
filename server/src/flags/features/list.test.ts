import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProject, markSeen } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

const BASE_PATH = '/api/admin/projects/listed/features';
const names = Array.from({ length: 250 }, (_, n) => `feature-${String(n).padStart(3, '0')}`);

const readJson = async (path: string) => (await call(harness.app, 'GET', `${BASE_PATH}${path}`)).body;

async function insertListedFeatures(): Promise<void> {
  const { db, app } = harness;
  await makeProject(db, { id: 'listed' });
  await sql`
    insert into features (name, project, type, description, created_by_user_id)
    select unnest(${names}::text[]), 'listed', 'release', 'ein "Häkchen" 🚩', -42`.execute(db);
  await sql`
    insert into feature_environments (feature_name, environment)
    select features.name, environments.name from features, environments`.execute(db);
  await sql`insert into feature_lifecycles (feature_name, stage) select name, 'initial' from features`.execute(
    db,
  );
  const [firstName] = names;
  await call(app, 'POST', `${BASE_PATH}/${firstName}/environments/production/on`);
  await markSeen(db, firstName ?? '');
}

test('lists each feature as GET returns it, in at most 7 statements apart from cursor fetches', async () => {
  await insertListedFeatures();
  const statementsBefore = harness.statements.length;

  const response = await call(harness.app, 'GET', BASE_PATH);

  const statements = harness.statements.slice(statementsBefore).filter(text => !text.startsWith('fetch'));
  expect(statements.length).toBeLessThanOrEqual(7);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.body.version).toBe(2);
  expect(response.body.features.map(({ name }: { name: string }) => name)).toEqual(names);
  for (const index of [0, 99, 100, 249]) {
    expect(response.body.features[index]).toEqual(await readJson(`/${names[index]}`));
  }
  expect(response.body.features[0]).toMatchObject({
    enabled: true,
    lastSeenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    createdBy: { id: -42, name: 'admin token' },
    description: 'ein "Häkchen" 🚩',
  });
});

test('returns an empty list for a project without features', async () => {
  await makeProject(harness.db, { id: 'empty' });

  const { body } = await call(harness.app, 'GET', '/api/admin/projects/empty/features');

  expect(body).toEqual({ version: 2, features: [] });
});
