import type { EvaluatedVariant, Result } from '../evaluation/evaluator.ts';
import type { Flag } from '../evaluation/flags.ts';

/** Appended to the name of a flag whose value is a payload. The resulting key returns the flag's boolean. */
export const ENABLED_SUFFIX = '.enabled';

/** An evaluation as the OpenFeature Remote Evaluation Protocol specifies it. */
export type EvaluatedFlag = { key: string; value: unknown; reason: string; variant?: string };

/**
 * The value is the payload of the variant, or whether the flag is enabled. It is always set, because older providers reject a
 * response without a value.
 */
export function toEvaluatedFlag(flag: Flag, result: Result, key = flag.name): EvaluatedFlag {
  const reason = getReason(flag);
  const isEnabled = result !== undefined;
  const variant = result?.variant;
  if (!variant?.enabled) return { key, value: isEnabled, reason };
  const value = key === flag.name ? parsePayload(variant) : true;
  return { key, value, reason, variant: variant.name };
}

function parsePayload({ payload }: EvaluatedVariant): unknown {
  if (payload === undefined) return true;
  const { type, value } = payload;
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (type !== 'json') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Whether the flag has a payload in one of its variants, so that its value is not always a boolean. */
export const hasPayload = ({ document: { strategies = [], variants = [] } }: Flag): boolean =>
  [...variants, ...strategies.flatMap(strategy => strategy.variants ?? [])].some(
    ({ payload }) => payload !== undefined,
  );

/** The OpenFeature reason for a value of this kind of flag. */
function getReason({ document }: Flag): string {
  const { enabled, strategies = [], variants = [], dependencies = [] } = document;
  if (!enabled) return 'DISABLED';
  const isSplit =
    variants.length > 1 ||
    strategies.some(
      ({ name, parameters, variants: strategyVariants = [] }) =>
        strategyVariants.length > 1 || name.startsWith('gradualRollout') || isPartial(name, parameters),
    );
  if (isSplit) return 'SPLIT';
  const isTargeted =
    dependencies.length > 0 ||
    strategies.some(
      ({ name, constraints = [], segments = [] }) =>
        constraints.length > 0 || segments.length > 0 || !['default', 'flexibleRollout'].includes(name),
    );
  return isTargeted ? 'TARGETING_MATCH' : 'STATIC';
}

const isPartial = (name: string, parameters: unknown): boolean =>
  name === 'flexibleRollout' && Number((parameters as { rollout?: string } | undefined)?.rollout) < 100;
