import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { EnvironmentUpdate } from './schema.ts';
import { type EnvironmentFields, lockEnvironments, updateEnvironment, updateSortOrders } from './store.ts';

/** Changes the given fields and keeps the others. An update that changes nothing writes nothing. */
export async function changeEnvironment(
  current: Change,
  name: string,
  input: EnvironmentUpdate,
): Promise<void> {
  await changeFields(current, name, before => ({
    ...before,
    type: input.type ?? before.type,
    sortOrder: input.sortOrder ?? before.sortOrder,
  }));
}

/** Enables or disables an environment for new projects. Repeating the call changes nothing. */
export async function enableEnvironment(current: Change, name: string, enabled: boolean): Promise<void> {
  await changeFields(current, name, before => ({ ...before, enabled }));
}

async function changeFields(
  { tx, record }: Change,
  name: string,
  changed: (before: EnvironmentFields) => EnvironmentFields,
): Promise<void> {
  const [before] = await lockEnvironments(tx, [name]);
  if (!before) throw notFound(`Environment "${name}"`);
  const after = changed(before);
  if (isDeepStrictEqual(after, before)) return;
  await updateEnvironment(tx, after);
  record({ type: 'environment-updated', environment: name, data: after, preData: before });
}

/** Sets the sort order of the named environments. An unknown name rejects the whole request. */
export async function sortEnvironments({ tx, record }: Change, input: Record<string, number>): Promise<void> {
  const orders = new Map(Object.entries(input));
  const environments = await lockEnvironments(tx, [...orders.keys()]);
  const unknown = [...orders.keys()].filter(
    name => !environments.some(environment => environment.name === name),
  );
  if (unknown.length > 0) {
    throw badData(
      unknown.map(name => ({ message: `environment "${name}" does not exist`, path: `/body/${name}` })),
    );
  }
  const changes = environments
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
}
