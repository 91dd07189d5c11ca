import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import type { Environment, EnvironmentUpdate } from './schema.ts';
import {
  type EnvironmentFields,
  findEnvironment,
  lockEnvironments,
  updateEnvironment,
  updateSortOrders,
} from './store.ts';

/** Changes the fields that are given and leaves the others; changing nothing writes nothing. */
export async function changeEnvironment(
  db: Db,
  actor: Actor,
  name: string,
  input: EnvironmentUpdate,
): Promise<Environment> {
  return await changeFields(db, actor, name, before => ({
    ...before,
    type: input.type ?? before.type,
    sortOrder: input.sortOrder ?? before.sortOrder,
  }));
}

/** Enables or disables; repeating it changes nothing. */
export async function switchEnvironment(db: Db, actor: Actor, name: string, enabled: boolean): Promise<void> {
  await changeFields(db, actor, name, before => ({ ...before, enabled }));
}

async function changeFields(
  db: Db,
  actor: Actor,
  name: string,
  changed: (before: EnvironmentFields) => EnvironmentFields,
): Promise<Environment> {
  return await change(db, actor, async ({ tx, record }) => {
    const [before] = await lockEnvironments(tx, [name]);
    if (!before) throw notFound(`Environment ${name}`);
    const after = changed(before);
    if (!isDeepStrictEqual(after, before)) {
      await updateEnvironment(tx, after);
      record({ type: 'environment-updated', environment: name, data: after, preData: before });
    }
    const environment = await findEnvironment(tx, actor, name);
    if (!environment) throw new Error(`Environment ${name} vanished while it was locked`);
    return environment;
  });
}

/** Gives each named environment its place: all of them or, if one is unknown, none. */
export async function sortEnvironments(db: Db, actor: Actor, input: Record<string, number>): Promise<void> {
  const orders = new Map(Object.entries(input));
  await change(db, actor, async ({ tx, record }) => {
    const named = await lockEnvironments(tx, [...orders.keys()]);
    const unknown = [...orders.keys()].filter(name => !named.some(environment => environment.name === name));
    if (unknown.length > 0) {
      throw badData(
        unknown.map(name => ({ message: `environment ${name} does not exist`, path: `/body/${name}` })),
      );
    }
    const changes = named
      .map(before => ({
        before,
        after: { ...before, sortOrder: orders.get(before.name) ?? before.sortOrder },
      }))
      .filter(({ before, after }) => before.sortOrder !== after.sortOrder);
    if (changes.length === 0) return;

    await updateSortOrders(
      tx,
      changes.map(({ after }) => after),
    );
    for (const { before, after } of changes) {
      record({ type: 'environment-updated', environment: after.name, data: after, preData: before });
    }
  });
}
