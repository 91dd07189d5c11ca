import { type CheckedDependency, checkDependency, hasParents } from './dependencies.ts';
import type { Feature, Payload, Variant } from './document.ts';
import { type CheckedStrategy, type Circumstances, checkStrategy, type Steps } from './strategies.ts';
import { selectVariant, type VariantSelection } from './variants.ts';

/** Why a flag is enabled or disabled. */
export type Reason =
  | 'flag-disabled'
  | 'parent'
  | 'no-strategies'
  | 'strategy-matches'
  | 'no-strategy-matches';

export type ChosenVariant = { name: string; enabled: boolean; payload?: Payload; feature_enabled: boolean };

/** The result of an SDK for one flag and context, and everything that led to it. */
export type Evaluation = {
  isEnabled: boolean;
  isEnabledInCurrentEnvironment: boolean;
  reason: Reason;
  dependencies: CheckedDependency[];
  strategies: CheckedStrategy[];
  /** Position of the first strategy that matches. */
  matched: number | null;
  variant: ChosenVariant;
  variantSelection: VariantSelection | null;
};

/** Results of parents for one context, so that each parent is evaluated once. */
export type Parents = Map<string, Evaluation>;

/** Evaluates the flag as SDKs do. All strategies are checked, even those after the first match. */
export function* evaluate(
  feature: Feature,
  circumstances: Circumstances,
  parents: Parents,
): Steps<Evaluation> {
  const dependencies = yield* checkDependencies(feature, circumstances, parents);
  const list = Array.isArray(feature.strategies) ? feature.strategies : undefined;
  const strategies: CheckedStrategy[] = [];
  for (const strategy of list ?? []) strategies.push(yield* checkStrategy(strategy, circumstances));
  const first = strategies.findIndex(({ result }) => result === true);
  const matched = first === -1 ? null : first;
  const reason = reasonOf(feature, dependencies, list === undefined ? undefined : strategies.length, matched);
  const isEnabled = reason === 'strategy-matches' || reason === 'no-strategies';
  const chosen = isEnabled ? chooseVariant(feature, matched, circumstances) : undefined;
  return {
    isEnabled,
    isEnabledInCurrentEnvironment: feature.enabled,
    reason,
    dependencies,
    strategies,
    matched,
    variant: servedVariant(chosen, isEnabled),
    variantSelection: chosen?.selection ?? null,
  };
}

function* checkDependencies(
  { dependencies = [] }: Feature,
  circumstances: Circumstances,
  parents: Parents,
): Steps<CheckedDependency[]> {
  const checked: CheckedDependency[] = [];
  for (const dependency of dependencies) {
    const document = circumstances.documents.features.get(dependency.feature);
    if (document && !hasParents(document) && !parents.has(dependency.feature))
      parents.set(dependency.feature, yield* evaluate(document, circumstances, parents));
    const known = document && hasParents(document) ? UNEVALUATED : parents.get(dependency.feature);
    checked.push(checkDependency(dependency, document, known));
  }
  return checked;
}

/** A parent with parents is never evaluated, so a cycle ends here. */
const UNEVALUATED = { isEnabled: false, variant: { name: 'disabled' } };

function reasonOf(
  { enabled }: Feature,
  dependencies: CheckedDependency[],
  strategies: number | undefined,
  matched: number | null,
): Reason {
  if (!enabled || strategies === undefined) return 'flag-disabled';
  if (dependencies.some(({ result }) => !result)) return 'parent';
  if (strategies === 0) return 'no-strategies';
  return matched === null ? 'no-strategy-matches' : 'strategy-matches';
}

type Chosen = { variant: Variant | undefined; selection: VariantSelection };

/** Variants of the strategy come before variants of the flag. */
function chooseVariant(
  feature: Feature,
  matched: number | null,
  { context }: Circumstances,
): Chosen | undefined {
  const strategy = matched === null ? undefined : feature.strategies?.[matched];
  const { parameters = {}, variants: own = [] } = strategy ?? {};
  const [first] = own;
  const ofStrategy = first
    ? chosenOf(
        own,
        selectVariant(
          'strategy',
          own,
          { groupId: String(parameters.groupId), stickiness: first.stickiness || parameters.stickiness },
          context,
        ),
      )
    : undefined;
  const { name, variants = [] } = feature;
  if (ofStrategy?.variant || variants.length === 0) return ofStrategy;
  const stickiness = variants[0]?.stickiness ?? undefined;
  return chosenOf(variants, selectVariant('feature', variants, { groupId: name, stickiness }, context));
}

const chosenOf = (variants: Variant[], selection: VariantSelection): Chosen => ({
  variant: variants.find(({ name }) => name === selection.name),
  selection,
});

const servedVariant = (chosen: Chosen | undefined, isEnabled: boolean): ChosenVariant =>
  chosen?.variant
    ? {
        name: chosen.variant.name,
        enabled: true,
        ...(chosen.variant.payload ? { payload: chosen.variant.payload } : {}),
        feature_enabled: isEnabled,
      }
    : { name: 'disabled', enabled: false, feature_enabled: isEnabled };
