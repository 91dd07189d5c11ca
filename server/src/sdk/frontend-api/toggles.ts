import type { EvaluationContext } from '../evaluation/context.ts';
import type { EvaluatedVariant, Evaluator } from '../evaluation/evaluator.ts';

const NO_VARIANT = '{"name":"disabled","enabled":false,"feature_enabled":true,"featureEnabled":true}';

/** The body with the enabled flags. Yields after each flag. */
export function* togglesBody(evaluator: Evaluator, context: EvaluationContext): Generator<void, Buffer> {
  const toggles: string[] = [];
  for (const flag of evaluator.flags) {
    const result = evaluator.evaluate(flag, context);
    if (result) {
      const impressionData = flag.document.impressionData === true;
      toggles.push(
        `{"name":${JSON.stringify(flag.name)},"enabled":true,"variant":${variantText(result.variant)},"impressionData":${impressionData}}`,
      );
    }
    yield;
  }
  return Buffer.from(`{"toggles":[${toggles.join(',')}]}`);
}

const variantText = (variant: EvaluatedVariant): string =>
  variant.enabled ? JSON.stringify({ ...variant, feature_enabled: true, featureEnabled: true }) : NO_VARIANT;
