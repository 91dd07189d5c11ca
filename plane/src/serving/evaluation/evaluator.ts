import { EventEmitter } from 'node:events';
import clientModule from 'unleash-client/lib/client.js';
import { defaultStrategies } from 'unleash-client/lib/strategy/index.js';
import type { EvaluationContext } from './context.ts';
import { type Cost, isTooCostly } from './cost.ts';
import { type Flag, type ParsedSegment, totalCost } from './flags.ts';
import type { Traits } from './traits.ts';

// The package is CommonJS with a default export, which Node.js and the test runner import differently. It is imported rather than
// required, because the published bundle contains only imported modules.
const UnleashClient = 'default' in clientModule ? clientModule.default : (clientModule as never);

export type EvaluatedVariant = {
  name: string;
  enabled: boolean;
  payload?: { type: string; value: string };
};

/** Undefined if the flag is disabled for the context. */
export type Result = { variant: EvaluatedVariant } | undefined;

/** The flags of a scope at one revision. The Node.js SDK evaluates them, so the results match that SDK's. */
export type Evaluator = {
  /** The position of the scope: its ETag without quotes. */
  readonly position: string;
  readonly flags: readonly Flag[];
  readonly traits: Traits;
  find: (name: string) => Flag | undefined;
  evaluate: (flag: Flag, context: EvaluationContext) => Result;
};

const WITHOUT_VARIANT: Result = { variant: { name: 'disabled', enabled: false } };

/** Evaluates without the SDK's network, timers and metrics: only its client and its strategies are loaded. */
export function makeEvaluator(
  position: string,
  flags: ReadonlyMap<string, Flag>,
  segments: ReadonlyMap<number, ParsedSegment>,
  traits: Traits,
  onSkipped: () => void = () => {},
): Evaluator {
  const repository = Object.assign(new EventEmitter(), {
    getToggle: (name: string) => flags.get(name)?.document,
    getSegment: (id: number) => segments.get(id)?.document,
  });
  // The SDK's class expects the whole repository as its parameter, but calls only these two functions.
  const client = new UnleashClient(repository as never, defaultStrategies);
  client.on('error', () => {});
  // Computed when first needed, because computing it for 10,000 flags in one go would block the server.
  const costs = new Map<Flag, Cost>();
  const getCost = (flag: Flag): Cost => {
    const cachedCost = costs.get(flag);
    if (cachedCost) return cachedCost;
    const cost = totalCost(flag, flags, segments);
    costs.set(flag, cost);
    return cost;
  };
  return {
    position,
    flags: [...flags.values()],
    traits,
    find: name => flags.get(name),
    evaluate: (flag, context) => {
      const { name, document } = flag;
      if (!document.enabled) return undefined;
      if (isTooCostly(getCost(flag), context)) {
        onSkipped();
        return undefined;
      }
      try {
        const variant = client.forceGetVariant(name, context.values);
        if (!variant.feature_enabled) return undefined;
        if (!variant.enabled) return WITHOUT_VARIANT;
        const { payload } = variant;
        return { variant: { name: variant.name, enabled: true, ...(payload ? { payload } : {}) } };
      } catch {
        // SDKs throw for documents that the admin API does not accept. A single such flag must not disable all others.
        return undefined;
      }
    },
  };
}
