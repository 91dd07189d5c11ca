import { beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../platform/actor.ts';
import { makeLongReads } from '../../platform/http/protection/long-reads.ts';
import { keyringOf } from '../../platform/secrets/seal.ts';
import { makeFeature, makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { runStored, type StoredOperation } from './stored.ts';

const harness = useHarness();

/** As a schedule would run them: what was stored is only text meanwhile. */
const run = (actor: Actor, operations: StoredOperation[]) =>
  runStored(
    harness.app,
    harness.db,
    {
      limits: APP_SETTINGS.limits,
      publicUrl: APP_SETTINGS.publicUrl,
      longReads: makeLongReads(harness.db),
      keyring: keyringOf(APP_SETTINGS.secretKey, APP_SETTINGS.oldSecretKeys),
    },
    actor,
    JSON.parse(JSON.stringify(operations)),
  );

let admin: Actor;
let viewer: Actor;

/** What the guard would find for a user with this root role. */
async function makeActor(rootRole: 'Admin' | 'Viewer'): Promise<Actor> {
  const { id, username } = await makeUser(harness.db, rootRole);
  const isAdmin = rootRole === 'Admin';
  const rootPermissions = isAdmin ? ['ADMIN'] : [];
  return { kind: 'user', userId: id, name: username, ip: null, isAdmin, rootPermissions };
}

beforeAll(async () => {
  [admin, viewer] = [await makeActor('Admin'), await makeActor('Viewer')];
  await makeFeature(harness.db, 'default', { name: 'stored' });
});

const createProject = (id: string): StoredOperation => ({
  operation: 'createProject',
  input: { body: { id, name: id } },
});
const updateProject = (id: string, name: unknown): StoredOperation => ({
  operation: 'updateProject',
  input: { params: { projectId: id }, body: { name } },
});
const enable: StoredOperation = {
  operation: 'enableFeature',
  input: {
    params: { projectId: 'default', featureName: 'stored', environment: 'development' },
  },
};

const status = async (project: string) =>
  (await call(harness.app, 'GET', `/api/admin/projects/${project}`)).status;

test('stored operations run in one change, and their events share a group', async () => {
  const responses = await run(admin, [createProject('planned'), updateProject('planned', 'Renamed')]);

  expect(responses).toMatchObject([
    { id: 'planned', name: 'Renamed' },
    { id: 'planned', name: 'Renamed' },
  ]);
  const { events } = (await call(harness.app, 'GET', '/api/admin/search/events?project=IS:planned')).body;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['project-updated', 'project-created']),
  );
  expect(new Set(events.map(({ groupId }: { groupId: string }) => groupId)).size).toBe(1);
});

test('if one of them is rejected, none is carried out', async () => {
  await expect(run(admin, [createProject('half'), createProject('half')])).rejects.toMatchObject({
    name: 'NameExistsError',
  });
  expect(await status('half')).toBe(404);
});

test('the permission is checked when they run', async () => {
  await expect(run(viewer, [createProject('forbidden')])).rejects.toMatchObject({ name: 'NoAccessError' });
  await expect(run(viewer, [enable])).rejects.toMatchObject({ name: 'NoAccessError' });
  expect(await status('forbidden')).toBe(404);
});

test('the input is validated when they run', async () => {
  await expect(run(admin, [updateProject('default', 7)])).rejects.toMatchObject({
    name: 'BadDataError',
    details: [{ message: 'name must be a string', path: '/body/name' }],
  });
});

test('only commands can be stored', async () => {
  await expect(run(admin, [{ operation: 'getProjects', input: {} }])).rejects.toMatchObject({
    name: 'NotFoundError',
  });
});
