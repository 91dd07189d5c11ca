import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { getDryRunLimits, makeDryRuns } from '../../platform/http/protection/dry-runs.ts';
import { makeLongReads } from '../../platform/http/protection/long-reads.ts';
import { makeKeyring } from '../../platform/secrets/seal.ts';
import { makeFeature, makeUser } from '../../test/factories.ts';
import { APP_SETTINGS, useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import {
  MAX_STORED_BYTES,
  MAX_STORED_OPERATIONS,
  runStoredOperations,
  type StoredOperation,
} from './stored.ts';

const harness = useHarness();

/** Runs operations as a schedule would, with the operations stored as JSON in between. */
const run = (actor: Actor, operations: StoredOperation[]) =>
  runStoredOperations(
    harness.app,
    harness.db,
    {
      limits: APP_SETTINGS.limits,
      publicUrl: APP_SETTINGS.publicUrl,
      longReads: makeLongReads(harness.db),
      dryRuns: makeDryRuns(getDryRunLimits(1)),
      keyring: makeKeyring(APP_SETTINGS.secretKey, APP_SETTINGS.oldSecretKeys),
    },
    actor,
    JSON.parse(JSON.stringify(operations)),
  );

let admin: Actor;
let viewer: Actor;

/** Creates the actor that the guard would find for a user with this root role. */
async function makeActor(rootRole: 'Admin' | 'Viewer'): Promise<Actor> {
  const { id, username } = await makeUser(harness.db, rootRole);
  const isAdmin = rootRole === 'Admin';
  const rootPermissions = isAdmin ? ['ADMIN'] : [];
  return { kind: 'user', userId: id, name: username, ip: null, isAdmin, rootPermissions };
}

beforeAll(async () => {
  [admin, viewer] = [await makeActor('Admin'), await makeActor('Viewer')];
  for (const name of ['stored', 'other']) await makeFeature(harness.db, 'default', { name });
});

const createProject = (id: string): StoredOperation => ({
  operation: 'createProject',
  input: { body: { id, name: id } },
});
const updateProject = (id: string, name: unknown): StoredOperation => ({
  operation: 'updateProject',
  input: { params: { projectId: id }, body: { name } },
});
const enable = (featureName: string): StoredOperation => ({
  operation: 'enableFeature',
  input: { params: { projectId: 'default', featureName, environment: 'development' } },
});

const readStatus = async (project: string) =>
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

test('if one operation is rejected, none is carried out', async () => {
  await expect(run(admin, [createProject('half'), createProject('half')])).rejects.toMatchObject({
    name: 'NameExistsError',
  });
  expect(await readStatus('half')).toBe(404);
});

test('the permission is checked when the operations run', async () => {
  await expect(run(viewer, [createProject('forbidden')])).rejects.toMatchObject({ name: 'NoAccessError' });
  await expect(run(viewer, [enable('stored')])).rejects.toMatchObject({ name: 'NoAccessError' });
  expect(await readStatus('forbidden')).toBe(404);
});

test('the input is validated when the operations run', async () => {
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

test('the number and the size of the operations in one change are limited', async () => {
  const tooManyOperations = Array.from({ length: MAX_STORED_OPERATIONS + 1 }, () =>
    updateProject('default', 'Default'),
  );
  const large = updateProject('default', 'x'.repeat(MAX_STORED_BYTES));

  await expect(run(admin, tooManyOperations)).rejects.toMatchObject({
    details: [{ message: 'A change can have at most 100 operations, not 101.' }],
  });
  await expect(run(admin, [large])).rejects.toMatchObject({
    details: [
      { message: expect.stringMatching(/^The operations in a change can have at most 1048576 bytes/) },
    ],
  });
});

const lockFeature = (tx: Tx, name: string) =>
  sql`select from features where name = ${name} for update`.execute(tx);

test('an operation after the first never waits for a lock, so that changes in different orders cannot deadlock', async () => {
  await harness.db.transaction().execute(async tx => {
    await lockFeature(tx, 'other');

    await expect(run(admin, [enable('stored'), enable('other')])).rejects.toMatchObject({ code: '55P03' });

    // A run that still waited for "other" would hold "stored", and this would be a deadlock.
    await lockFeature(tx, 'stored');
  });

  await run(admin, [enable('stored'), enable('other')]);
});

test('the first operation waits for its locks, and every operation waits for the locks that a change takes last', async () => {
  const featureLocked = Promise.withResolvers<void>();
  const holdingTransaction = harness.db.transaction().execute(async tx => {
    await lockFeature(tx, 'stored');
    await sql`update sdk_revisions set revision = revision where environment = 'development'`.execute(tx);
    featureLocked.resolve();
    await waitForBlockedSessions(1);
  });
  await featureLocked.promise;

  await run(admin, [enable('stored'), enable('other')]);

  await holdingTransaction;
});

/** Waits until this many sessions are waiting for a lock. */
const waitForBlockedSessions = (count: number) =>
  expect
    .poll(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        harness.db,
      );
      return rows.length;
    })
    .toBe(count);
