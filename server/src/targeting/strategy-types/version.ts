import type { Versioned } from '../../record/versioned.ts';
import type { StrategyType } from './schema.ts';
import { lockStrategyType } from './store.ts';

export const VERSIONED_STRATEGY_TYPE: Versioned<string, StrategyType> = {
  formatName: name => `Strategy type "${name}"`,
  lock: ({ tx }, name) => lockStrategyType(tx, name),
  derived: [],
};
