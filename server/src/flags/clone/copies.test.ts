import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { type ApiResponse, call } from '../../test/request.ts';
import { insertRichFeature } from '../../test/rich-feature.ts';
import { MAX_COPIES } from './copies.ts';

const harness = useHarness();
const FEATURES_PATH = '/api/admin/projects/default/features';
const readCopies = (name: string, token?: string): Promise<ApiResponse> =>
  call(harness.app, 'GET', `${FEATURES_PATH}/${name}/copies`, token === undefined ? {} : { token });

async function cloneTo(name: string, copy: string, project = 'default'): Promise<void> {
  const { status } = await call(harness.app, 'POST', `${FEATURES_PATH}/${name}/clone`, {
    body: { name: copy, project },
  });
  expect(status).toBe(200);
}

test('lists the copies of a feature, newest first, with the number of differences', async () => {
  await insertRichFeature(harness.db, { name: 'listed', description: 'Same' });
  await cloneTo('listed', 'listed-2');
  await cloneTo('listed', 'listed-3');
  await cloneTo('listed-3', 'listed-of-copy');
  await call(harness.app, 'PUT', `${FEATURES_PATH}/listed-2`, {
    body: { description: 'Other', type: 'experiment' },
  });
  await call(harness.app, 'DELETE', `${FEATURES_PATH}/listed-3`);

  const { status, body } = await readCopies('listed');

  expect(status).toBe(200);
  expect(body).toEqual({
    copies: [
      {
        feature: 'listed-3',
        project: 'default',
        archived: true,
        createdAt: expect.any(String),
        inSync: true,
        differences: 0,
      },
      {
        feature: 'listed-2',
        project: 'default',
        archived: false,
        createdAt: expect.any(String),
        inSync: false,
        differences: 2,
      },
    ],
    total: 2,
  });
  const { body: drift } = await call(harness.app, 'GET', `${FEATURES_PATH}/listed-2/drift`);
  expect(drift.differences).toHaveLength(2);
});

test('returns an empty list for a feature without copies, and 404 for an unknown feature', async () => {
  await insertRichFeature(harness.db, { name: 'single' });

  expect(await readCopies('single')).toMatchObject({ status: 200, body: { copies: [], total: 0 } });
  expect((await readCopies('no-such-feature')).status).toBe(404);
});

test('omits copies in projects that the caller cannot read', async () => {
  await insertRichFeature(harness.db, { name: 'shared' });
  const { id } = await makeProject(harness.db, { mode: 'private' });
  await cloneTo('shared', 'shared-2', id);
  const [stranger, member] = [await makeUser(harness.db, 'Editor'), await makeUser(harness.db, 'Viewer')];
  await makeMember(harness.db, member, id, 'Member');

  expect((await readCopies('shared', stranger.token)).body).toEqual({ copies: [], total: 0 });
  expect((await readCopies('shared', member.token)).body).toMatchObject({
    copies: [{ feature: 'shared-2' }],
    total: 1,
  });
});

test('omits copies of a deleted feature with the same name', async () => {
  await insertRichFeature(harness.db, { name: 'again' });
  await cloneTo('again', 'again-2');
  await sql`delete from features where name = 'again'`.execute(harness.db);
  await insertRichFeature(harness.db, { name: 'again' });

  expect((await readCopies('again')).body).toEqual({ copies: [], total: 0 });
});

test('lists at most 50 copies but counts all of them', async () => {
  await insertRichFeature(harness.db, { name: 'many' });
  const features = Array.from({ length: MAX_COPIES + 1 }, (_, n) => ({ feature: 'many', name: `many-${n}` }));
  const { status } = await call(harness.app, 'POST', '/api/admin/projects/default/clone', {
    body: { features },
  });
  expect(status).toBe(200);

  const { body } = await readCopies('many');

  expect([body.copies.length, body.total]).toEqual([MAX_COPIES, MAX_COPIES + 1]);
});
