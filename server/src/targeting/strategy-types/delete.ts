import { rejectWith } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { toEventData } from './create.ts';
import { deleteStrategyType, findUses } from './store.ts';
import { lockCustomStrategyType } from './update.ts';

/** Deletes a strategy type that nothing uses. The lock prevents new uses. */
export async function removeStrategyType({ tx, record }: Change, name: string): Promise<void> {
  const strategyType = await lockCustomStrategyType(tx, name);
  const { byFeature, asDefault } = await findUses(tx, name);
  // The reasons name no features or projects, because the caller may not be allowed to read them.
  rejectWith([
    ...(byFeature ? [`A feature uses strategy type "${name}".`] : []),
    ...(asDefault ? [`Strategy type "${name}" is the default strategy of a project.`] : []),
  ]);

  await deleteStrategyType(tx, name);
  record({ type: 'strategy-deleted', preData: toEventData(strategyType) });
}
