import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../record/change.ts';
import type { FeatureEnvironment, NewStrategy } from './schema.ts';
import { deleteStrategies, insertStrategies } from './store.ts';
import { completeStrategy, toStrategyData } from './strategies.ts';

/**
 * Gives each feature exactly these strategies in the environment. A feature that already has them stays unchanged. The caller must
 * have locked the features and validated the strategies.
 */
export async function replaceStrategiesOfFeatures(
  { tx, record }: Change,
  { project, environment }: { project: string; environment: string },
  updates: { environmentBefore: FeatureEnvironment; strategies: NewStrategy[] }[],
): Promise<void> {
  const changes = updates
    .map(({ environmentBefore: { featureName, strategies: strategiesBefore }, strategies }) => ({
      featureName,
      strategiesBefore,
      strategiesAfter: strategies.map((strategy, index) => completeStrategy(strategy, featureName, index)),
    }))
    .filter(
      ({ strategiesBefore, strategiesAfter }) =>
        !isDeepStrictEqual(strategiesBefore.map(withoutIdentity), strategiesAfter),
    );
  const removedStrategies = changes.flatMap(({ strategiesBefore }) => strategiesBefore);
  const newRows = changes.flatMap(({ featureName, strategiesAfter }) =>
    strategiesAfter.map(strategy => ({ featureName, ...strategy })),
  );
  if (removedStrategies.length > 0) {
    await deleteStrategies(
      tx,
      removedStrategies.map(({ id }) => id),
    );
  }
  const addedStrategies = newRows.length > 0 ? await insertStrategies(tx, environment, newRows) : [];
  for (const strategy of removedStrategies) {
    const subject = { project, environment, featureName: strategy.featureName };
    record({ type: 'feature-strategy-remove', ...subject, preData: toStrategyData(strategy) });
  }
  for (const strategy of addedStrategies) {
    const subject = { project, environment, featureName: strategy.featureName };
    record({ type: 'feature-strategy-add', ...subject, data: toStrategyData(strategy) });
  }
}

const withoutIdentity = <T extends { id: string; featureName: string }>({
  id: _,
  featureName: __,
  ...strategy
}: T) => strategy;
