import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { exceedsLimit } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import type { Environment, NewEnvironment } from './schema.ts';
import { countEnvironments, insertEnvironment } from './store.ts';

/** Creates an environment. No project has it yet. */
export async function createEnvironment(
  db: Db,
  actor: Actor,
  input: NewEnvironment,
  most: number,
): Promise<Environment> {
  return await change(db, actor, async ({ tx, record }) => {
    if ((await countEnvironments(tx)) >= most) {
      throw exceedsLimit(`There are at most ${most} environments. Delete one first.`);
    }
    const created = await insertEnvironment(tx, {
      name: input.name,
      type: input.type,
      enabled: input.enabled ?? true,
      sortOrder: input.sortOrder ?? null,
    });
    record({ type: 'environment-created', environment: created.name, data: created });
    return { ...created, projectCount: 0, apiTokenCount: 0, enabledToggleCount: 0 };
  });
}
