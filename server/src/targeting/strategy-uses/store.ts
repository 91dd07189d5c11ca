import { sql } from 'kysely';

/** The columns of a `StrategyUse`, from `feature_strategies` joined with `features`. */
export const STRATEGY_USE = sql`
  feature_strategies.id, feature_strategies.feature_name as "featureName", features.project as "projectId",
  feature_strategies.environment, feature_strategies.strategy_name as "strategyName"`;

/** The order of a list of strategy uses: by project, feature and environment, then as SDKs evaluate the strategies. */
export const STRATEGY_USE_ORDER = sql`
  features.project, features.name, feature_strategies.environment, feature_strategies.sort_order,
  feature_strategies.id`;
