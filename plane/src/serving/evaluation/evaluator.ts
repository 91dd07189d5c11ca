import { EventEmitter } from 'node:events';
import loaded from 'unleash-client/lib/client.js';
import { defaultStrategies } from 'unleash-client/lib/strategy/index.js';
import type { EvaluationContext } from './context.ts';
import { type Cost, isTooCostly } from './cost.ts';
import { type Flag, type ParsedSegment, wholeCost } from './flags.ts';
import type { Traits } from './traits.ts';

// The package is CommonJS with a default export, which Node.js and the test runner import differently. It is imported, and not
// required, because the published bundle contains only modules that are imported.
const UnleashClient = 'default' in loaded ? loaded.default : (loaded as never);

export type EvaluatedVariant = {
  name: string;
  enabled: boolean;
  payload?: { type: string; value: string };
};

/** Undefined: the flag is disabled for the context. */
export type Result = { variant: EvaluatedVariant } | undefined;

/** The flags of a scope as of one revision. Results are those of the Node.js SDK, because it does the evaluation. */
export type Evaluator = {
  /** The position of the scope: its ETag without quotes. */
  readonly position: string;
  readonly flags: readonly Flag[];
  readonly traits: Traits;
  find: (name: string) => Flag | undefined;
  evaluate: (flag: Flag, context: EvaluationContext) => Result;
};

const WITHOUT_VARIANT: Result = { variant: { name: 'disabled', enabled: false } };

/** Evaluates without the network, timers and metrics of the SDK: only its client and its strategies are loaded. */
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
  const costOf = (flag: Flag): Cost => {
    const known = costs.get(flag);
    if (known) return known;
    const cost = wholeCost(flag, flags, segments);
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
      if (isTooCostly(costOf(flag), context)) {
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
        // SDKs throw for documents that the admin API does not accept. One of them must not disable all others.
        return undefined;
      }
    },
  };
}
