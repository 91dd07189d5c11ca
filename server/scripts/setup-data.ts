// A small set of sample data: three projects, three people, a few features, and some history.

import { randomBytes } from 'node:crypto';
import type { RootRole } from '../src/access/roles.ts';
import { addStrategy } from '../src/flags/feature-environments/strategies.ts';
import { toggleFeatures } from '../src/flags/feature-environments/toggle.ts';
import { createFeature } from '../src/flags/features/create.ts';
import type { NewFeature } from '../src/flags/features/schema.ts';
import { markStale } from '../src/flags/features/stale.ts';
import { setProjectArchived } from '../src/flags/projects/archive.ts';
import { createProject } from '../src/flags/projects/create.ts';
import { changeProject } from '../src/flags/projects/update.ts';
import { checkNewUser, createUser } from '../src/people/users/create.ts';
import { createPersonalToken } from '../src/people/users/personal-tokens.ts';
import { type Actor, SYSTEM } from '../src/platform/actor.ts';
import type { Db } from '../src/platform/db/database.ts';
import { change } from '../src/record/change.ts';

const DAYS_90_MS = 90 * 86_400_000;

export type DemoPerson = { name: string; username: string; password: string; token: string };

/** Creates the demo data unless the database already has users. Returns the users that it created, with their credentials. */
export async function makeSetupData(db: Db): Promise<DemoPerson[]> {
  if (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) return [];
  const ada = await makePerson(db, 'ada', 'Ada Okafor', 'Admin');
  const ben = await makePerson(db, 'ben', 'Ben Lindqvist', 'Editor');
  const emil = await makePerson(db, 'emil', 'Emil Sandoval', 'Viewer');

  await change(db, ben.actor, current =>
    createProject(current, { id: 'payments', name: 'Payments', description: 'Payments and refunds' }),
  );
  await change(db, ben.actor, current =>
    changeProject(current, 'payments', {
      featureLimit: 200,
      featureNaming: {
        pattern: 'pay\\.[a-z0-9-]+',
        example: 'pay.checkout',
        description: 'Starts with pay.',
      },
    }),
  );
  await makeFeatures(db, ben.actor);
  await change(db, ada.actor, current =>
    createProject(current, { id: 'skunkworks', name: 'Skunkworks', mode: 'private' }),
  );
  await change(db, ben.actor, current => createProject(current, { id: 'old-site', name: 'Old site' }));
  await change(db, ben.actor, current => setProjectArchived(current, 'old-site', true));
  return [ada, ben, emil].map(({ actor, role, ...secrets }) => ({
    name: `${actor.name} (${role})`,
    username: actor.name,
    ...secrets,
  }));
}

/** Creates a flag that is being rolled out, a finished flag that should be removed, and a flag that is new. */
async function makeFeatures(db: Db, actor: Actor): Promise<void> {
  const project = 'payments';
  const add = (feature: NewFeature) => change(db, actor, current => createFeature(current, project, feature));
  await add({
    name: 'pay.new-basket',
    description: 'The basket on one page',
    tags: [{ type: 'simple', value: 'basket' }],
  });
  const target = { project, featureName: 'pay.new-basket', environment: 'production' };
  await change(db, actor, current =>
    addStrategy(current, target, {
      name: 'flexibleRollout',
      title: 'A quarter of customers in Sweden',
      parameters: { rollout: '25', stickiness: 'userId', groupId: 'pay.new-basket' },
      constraints: [{ contextName: 'country', operator: 'IN', values: ['SE'] }],
    }),
  );
  for (const environment of ['development', 'production']) {
    await change(db, actor, current =>
      toggleFeatures(current, project, environment, ['pay.new-basket'], true),
    );
  }
  await add({ name: 'pay.old-cards', type: 'operational' });
  await change(db, actor, current => markStale(current, project, ['pay.old-cards'], true));
  await add({ name: 'pay.gift-cards', type: 'experiment' });
}

async function makePerson(db: Db, username: string, name: string, role: RootRole) {
  const password = randomBytes(15).toString('base64url');
  const email = `${username}@example.com`;
  const newUser = await checkNewUser({ name, username, email, password, rootRole: role });
  const { id } = await change(db, SYSTEM, current => createUser(current, newUser));
  const actor: Actor = { ...SYSTEM, kind: 'user', userId: id, name: username, isAdmin: role === 'Admin' };
  const expiresAt = new Date(Date.now() + DAYS_90_MS).toISOString();
  const { secret } = await change(db, actor, current =>
    createPersonalToken(current, { description: 'demo', expiresAt }),
  );
  return { actor, role, password, token: String(secret) };
}
