import { Ref, SharedObject } from '@halyard/plane/platform/http/schema.ts';
import { type Static, Type } from 'typebox';

export const StrategyUse = SharedObject('StrategyUse', 'A strategy and where it is used', {
  id: Type.String({ format: 'uuid', description: 'Id of the strategy' }),
  featureName: Type.String({
    description: 'Feature name, unique in the instance',
    examples: ['checkout-v2'],
  }),
  projectId: Type.String({ description: 'Id of the project', examples: ['payments'] }),
  environment: Type.String({ description: 'Name of the environment', examples: ['production'] }),
  strategyName: Type.String({ description: 'Strategy type', examples: ['flexibleRollout'] }),
});
export type StrategyUse = Static<typeof StrategyUse>;

/** Strategies that use a segment or a context field, with their features and environments. */
export const StrategyUses = SharedObject('StrategyUses', { strategies: Type.Array(Ref(StrategyUse)) });
