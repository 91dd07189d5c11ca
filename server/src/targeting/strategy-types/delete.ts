import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import { deleteStrategyType, findUses } from './store.ts';
import { lockOwn } from './update.ts';

/** Deletes a strategy type that nothing uses. Under the lock nothing can begin to. */
export async function removeStrategyType(db: Db, actor: Actor, name: string): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const strategy = await lockOwn(tx, name);
    const { byFeature, asDefault } = await findUses(tx, name);
    // By whom is not said: the caller may not know of every project.
    const reasons = [
      ...(byFeature ? [`A feature uses strategy type ${name}.`] : []),
      ...(asDefault ? [`Strategy type ${name} is the default strategy of a project.`] : []),
    ];
    if (reasons.length > 0) {
      throw new ApiError('InvalidOperationError', reasons.join(' '), {
        details: reasons.map(message => ({ message })),
      });
    }

    await deleteStrategyType(tx, name);
    record({ type: 'strategy-deleted', preData: asEventData(strategy) });
  });
}
