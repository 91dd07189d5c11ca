import { type CheckedDependency, checkDependency, hasParents } from './dependencies.ts';
import type { Feature, Payload, Variant } from './document.ts';
import { type CheckedStrategy, checkStrategy, type EvaluationInputs, type Steps } from './strategies.ts';
import { selectVariant, type VariantSelection } from './variants.ts';

/** Why a flag is enabled or disabled. */
export type Reason =
  | 'flag-disabled'
  | 'parent'
  | 'no-strategies'
  | 'strategy-matches'
  | 'no-strategy-matches';

export type ChosenVariant = { name: string; enabled: boolean; payload?: Payload; feature_enabled: boolean };

/** The result that SDKs compute for one flag and context, with everything that led to it. */
export type Evaluation = {
  isEnabled: boolean;
  isEnabledInCurrentEnvironment: boolean;
  reason: Reason;
  dependencies: CheckedDependency[];
  strategies: CheckedStrategy[];
  /** Position of the first strategy that matches. Null if none matches. */
  matched: number | null;
  variant: ChosenVariant;
  variantSelection: VariantSelection | null;
};

/** Caches the results of parents for one context, so that a parent of several flags is evaluated only once. */
export type ParentCache = Map<string, Evaluation>;

/** Evaluates the flag as SDKs do. All strategies are checked, even those after the first match. */
export function* evaluate(
  feature: Feature,
  inputs: EvaluationInputs,
  parents: ParentCache,
): Steps<Evaluation> {
  const dependencies = yield* checkDependencies(feature, inputs, parents);
  const listedStrategies = Array.isArray(feature.strategies) ? feature.strategies : undefined;
  const strategies: CheckedStrategy[] = [];
  for (const strategy of listedStrategies ?? []) strategies.push(yield* checkStrategy(strategy, inputs));
  const firstMatch = strategies.findIndex(({ result }) => result === true);
  const matched = firstMatch === -1 ? null : firstMatch;
  const reason = getReason(
    feature,
    dependencies,
    listedStrategies === undefined ? undefined : strategies.length,
    matched,
  );
  const isEnabled = reason === 'strategy-matches' || reason === 'no-strategies';
  const choice = isEnabled ? chooseVariant(feature, matched, inputs) : undefined;
  return {
    isEnabled,
    isEnabledInCurrentEnvironment: feature.enabled,
    reason,
    dependencies,
    strategies,
    matched,
    variant: toServedVariant(choice, isEnabled),
    variantSelection: choice?.selection ?? null,
  };
}

function* checkDependencies(
  { dependencies = [] }: Feature,
  inputs: EvaluationInputs,
  parents: ParentCache,
): Steps<CheckedDependency[]> {
  const checkedDependencies: CheckedDependency[] = [];
  for (const dependency of dependencies) {
    const document = inputs.documents.features.get(dependency.feature);
    if (document && !hasParents(document) && !parents.has(dependency.feature))
      parents.set(dependency.feature, yield* evaluate(document, inputs, parents));
    const parent = document && hasParents(document) ? UNEVALUATED_PARENT : parents.get(dependency.feature);
    checkedDependencies.push(checkDependency(dependency, document, parent));
  }
  return checkedDependencies;
}

/** Stands in for a parent that has parents itself. SDKs do not evaluate such a parent, so cycles end here. */
const UNEVALUATED_PARENT = { isEnabled: false, variant: { name: 'disabled' } };

function getReason(
  { enabled }: Feature,
  dependencies: CheckedDependency[],
  strategyCount: number | undefined,
  matched: number | null,
): Reason {
  if (!enabled || strategyCount === undefined) return 'flag-disabled';
  if (dependencies.some(({ result }) => !result)) return 'parent';
  if (strategyCount === 0) return 'no-strategies';
  return matched === null ? 'no-strategy-matches' : 'strategy-matches';
}

type VariantChoice = { variant: Variant | undefined; selection: VariantSelection };

/** Chooses the variant. Variants of the strategy take precedence over variants of the flag. */
function chooseVariant(
  feature: Feature,
  matched: number | null,
  { context }: EvaluationInputs,
): VariantChoice | undefined {
  const strategy = matched === null ? undefined : feature.strategies?.[matched];
  const { parameters = {}, variants: strategyVariants = [] } = strategy ?? {};
  const [firstVariant] = strategyVariants;
  const strategyChoice = firstVariant
    ? toChoice(
        strategyVariants,
        selectVariant(
          'strategy',
          strategyVariants,
          {
            groupId: String(parameters.groupId),
            stickiness: firstVariant.stickiness || parameters.stickiness,
          },
          context,
        ),
      )
    : undefined;
  const { name, variants = [] } = feature;
  if (strategyChoice?.variant || variants.length === 0) return strategyChoice;
  const stickiness = variants[0]?.stickiness ?? undefined;
  return toChoice(variants, selectVariant('feature', variants, { groupId: name, stickiness }, context));
}

const toChoice = (variants: Variant[], selection: VariantSelection): VariantChoice => ({
  variant: variants.find(({ name }) => name === selection.name),
  selection,
});

const toServedVariant = (choice: VariantChoice | undefined, isEnabled: boolean): ChosenVariant =>
  choice?.variant
    ? {
        name: choice.variant.name,
        enabled: true,
        ...(choice.variant.payload ? { payload: choice.variant.payload } : {}),
        feature_enabled: isEnabled,
      }
    : { name: 'disabled', enabled: false, feature_enabled: isEnabled };
