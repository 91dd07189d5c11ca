import { exceedsLimit } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { Environment, NewEnvironment } from './schema.ts';
import { countEnvironments, insertEnvironment } from './store.ts';

/** Creates an environment without adding it to existing projects. */
export async function createEnvironment(
  { tx, record }: Change,
  input: NewEnvironment,
  limit: number,
): Promise<Environment> {
  if ((await countEnvironments(tx)) >= limit)
    throw exceedsLimit(`The instance already has ${limit} environments, the maximum. Delete one first.`);
  const environment = await insertEnvironment(tx, {
    name: input.name,
    type: input.type,
    enabled: input.enabled ?? true,
    sortOrder: input.sortOrder ?? null,
  });
  record({ type: 'environment-created', environment: environment.name, data: environment });
  return { ...environment, projectCount: 0, apiTokenCount: 0, enabledToggleCount: 0 };
}
