import type { EvaluationContext } from '../evaluation/context.ts';
import type { Evaluator, Result } from '../evaluation/evaluator.ts';
import type { Flag } from '../evaluation/flags.ts';

const NO_VARIANT = '{"name":"disabled","enabled":false,"feature_enabled":true,"featureEnabled":true}';

/** The JSON of an enabled flag without a variant. It is the same for every context. */
const plainTexts = new WeakMap<Flag, string>();

/** Builds a body with the enabled flags. Yields after each flag. */
export function* togglesBody(evaluator: Evaluator, context: EvaluationContext): Generator<void, Buffer> {
  const toggles: string[] = [];
  for (const flag of evaluator.flags) {
    const result = evaluator.evaluate(flag, context);
    if (result)
      toggles.push(result.variant.enabled ? formatToggle(flag, formatVariant(result)) : getPlainToggle(flag));
    yield;
  }
  return Buffer.from(`{"toggles":[${toggles.join(',')}]}`);
}

/** Builds a body with one flag, enabled or not. */
export function* toggleBody(
  evaluator: Evaluator,
  flag: Flag,
  context: EvaluationContext,
): Generator<void, Buffer> {
  const result = evaluator.evaluate(flag, context);
  yield;
  if (!result) return Buffer.from(formatDisabledToggle(flag));
  return Buffer.from(
    result.variant.enabled ? formatToggle(flag, formatVariant(result)) : getPlainToggle(flag),
  );
}

const formatDisabledToggle = ({ name, document }: Flag): string =>
  JSON.stringify({
    name,
    enabled: false,
    variant: { name: 'disabled', enabled: false, feature_enabled: false, featureEnabled: false },
    impressionData: document.impressionData === true,
  });

function getPlainToggle(flag: Flag): string {
  const cachedText = plainTexts.get(flag);
  if (cachedText !== undefined) return cachedText;
  const text = formatToggle(flag, NO_VARIANT);
  plainTexts.set(flag, text);
  return text;
}

const formatToggle = ({ name, document }: Flag, variant: string): string =>
  `{"name":${JSON.stringify(name)},"enabled":true,"variant":${variant},"impressionData":${document.impressionData === true}}`;

const formatVariant = ({ variant }: NonNullable<Result>): string =>
  JSON.stringify({ ...variant, feature_enabled: true, featureEnabled: true });
