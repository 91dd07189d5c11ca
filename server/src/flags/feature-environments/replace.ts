import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../record/change.ts';
import type { FeatureEnvironment, NewStrategy } from './schema.ts';
import { deleteStrategies, insertStrategies } from './store.ts';
import { asStrategyData, complete } from './strategies.ts';

/**
 * Part of a change that locked the features and accepted the strategies: gives each feature exactly these strategies in the
 * environment. A feature that already has them is left unchanged.
 */
export async function replaceStrategies(
  { tx, record }: Change,
  { project, environment }: { project: string; environment: string },
  wanted: { before: FeatureEnvironment; strategies: NewStrategy[] }[],
): Promise<void> {
  const changing = wanted
    .map(({ before: { featureName, strategies: before }, strategies }) => ({
      featureName,
      before,
      after: strategies.map((strategy, at) => complete(strategy, featureName, at)),
    }))
    .filter(({ before, after }) => !isDeepStrictEqual(before.map(withoutIdentity), after));
  const removed = changing.flatMap(({ before }) => before);
  const inserted = changing.flatMap(({ featureName, after }) => after.map(one => ({ featureName, ...one })));
  if (removed.length > 0) {
    await deleteStrategies(
      tx,
      removed.map(({ id }) => id),
    );
  }
  const added = inserted.length > 0 ? await insertStrategies(tx, environment, inserted) : [];
  for (const strategy of removed) {
    const about = { project, environment, featureName: strategy.featureName };
    record({ type: 'feature-strategy-remove', ...about, preData: asStrategyData(strategy) });
  }
  for (const strategy of added) {
    const about = { project, environment, featureName: strategy.featureName };
    record({ type: 'feature-strategy-add', ...about, data: asStrategyData(strategy) });
  }
}

const withoutIdentity = <T extends { id: string; featureName: string }>({
  id: _,
  featureName: __,
  ...strategy
}: T) => strategy;
