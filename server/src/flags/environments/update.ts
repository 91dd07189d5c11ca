import { isDeepStrictEqual } from 'node:util';
import { badData, ENVIRONMENT_HINT, notFound, unknownEnvironment } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { EnvironmentUpdate } from './schema.ts';
import { type EnvironmentFields, lockEnvironments, updateEnvironment, updateSortOrders } from './store.ts';

/** Changes the given fields and keeps the others. An update that changes nothing writes nothing. */
export async function changeEnvironment(
  current: Change,
  name: string,
  input: EnvironmentUpdate,
): Promise<void> {
  await changeFields(current, name, environmentBefore => ({
    ...environmentBefore,
    type: input.type ?? environmentBefore.type,
    sortOrder: input.sortOrder ?? environmentBefore.sortOrder,
  }));
}

/** Sets whether new projects get the environment by default. Repeating the call changes nothing. */
export async function setEnvironmentEnabled(current: Change, name: string, enabled: boolean): Promise<void> {
  await changeFields(current, name, environmentBefore => ({ ...environmentBefore, enabled }));
}

async function changeFields(
  { tx, record }: Change,
  name: string,
  edit: (environmentBefore: EnvironmentFields) => EnvironmentFields,
): Promise<void> {
  const [environmentBefore] = await lockEnvironments(tx, [name]);
  if (!environmentBefore) throw notFound(`Environment "${name}"`, ENVIRONMENT_HINT);
  const environmentAfter = edit(environmentBefore);
  if (isDeepStrictEqual(environmentAfter, environmentBefore)) return;
  await updateEnvironment(tx, environmentAfter);
  record({
    type: 'environment-updated',
    environment: name,
    data: environmentAfter,
    preData: environmentBefore,
  });
}

/** Sets the sort order of the given environments. Rejects the whole request if a name is unknown. */
export async function sortEnvironments({ tx, record }: Change, input: Record<string, number>): Promise<void> {
  const orders = new Map(Object.entries(input));
  const environments = await lockEnvironments(tx, [...orders.keys()]);
  const unknownNames = [...orders.keys()].filter(
    name => !environments.some(environment => environment.name === name),
  );
  if (unknownNames.length > 0)
    throw badData(unknownNames.map(name => ({ message: unknownEnvironment(name), path: `/body/${name}` })));
  const changes = environments
    .map(environmentBefore => ({
      environmentBefore,
      environmentAfter: {
        ...environmentBefore,
        sortOrder: orders.get(environmentBefore.name) ?? environmentBefore.sortOrder,
      },
    }))
    .filter(
      ({ environmentBefore, environmentAfter }) => environmentBefore.sortOrder !== environmentAfter.sortOrder,
    );
  if (changes.length === 0) return;

  await updateSortOrders(
    tx,
    changes.map(({ environmentAfter }) => environmentAfter),
  );
  for (const { environmentBefore, environmentAfter } of changes) {
    record({
      type: 'environment-updated',
      environment: environmentAfter.name,
      data: environmentAfter,
      preData: environmentBefore,
    });
  }
}
