import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeFeature, makeMember, makeProject, makeUser, type TestUser } from '../test/factories.ts';
import { ADMIN_TOKEN, useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

const harness = useHarness();
let userWithFewRoles: TestUser;
let userWithManyRoles: TestUser;

beforeAll(async () => {
  const { db, app } = harness;
  await makeProject(db, { id: 'costly', mode: 'private' });
  await makeFeature(db, 'costly', { name: 'costly-flag', type: 'release' });
  userWithFewRoles = await makeUser(db, 'Viewer');
  userWithManyRoles = await makeUser(db, 'Viewer');
  for (const user of [userWithFewRoles, userWithManyRoles]) await makeMember(db, user, 'costly', 'Reader');
  for (let number = 0; number < 20; number++) {
    const { id } = await makeProject(db);
    await makeMember(db, userWithManyRoles, id, 'Owner');
    const body = { name: `Group ${number}`, rootRole: 2, users: [{ user: { id: userWithManyRoles.id } }] };
    const group = (await call(app, 'POST', '/api/admin/groups', { body })).body.id;
    await call(app, 'POST', `/api/admin/projects/${id}/groups/${group}/roles/5`);
  }
});

async function countStatements(url: string, token: string): Promise<number> {
  const statementsBefore = harness.statements.length;
  const { status } = await call(harness.app, 'GET', url, { token });
  expect(status).toBe(200);
  return harness.statements.length - statementsBefore;
}

test.each([
  ['an instance route', '/api/admin/tag-types'],
  ['a project route', '/api/admin/projects/costly'],
  ['a feature', '/api/admin/projects/costly/features/costly-flag'],
  ['a list without private projects', '/api/admin/projects'],
])(
  '%s runs the same number of statements for a user with few roles, a user with many roles and an admin',
  async (_case, url) => {
    const statements = await countStatements(url, userWithFewRoles.token);

    for (const token of [userWithManyRoles.token, ADMIN_TOKEN])
      expect(await countStatements(url, token)).toBe(statements);
  },
);

test("PostgreSQL can read a user's permissions without a sequential scan", async () => {
  const queryPlan = await harness.db.transaction().execute(async tx => {
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_hashjoin = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select from effective_roles as held join role_permissions using (role_id)
      where held.user_id = ${userWithManyRoles.id} and (held.project is null or held.project = 'costly')`.execute(
      tx,
    );
    return rows.map(row => row['QUERY PLAN']).join('\n');
  });

  expect(queryPlan).not.toMatch(/Seq Scan/);
});
