/** The part of a strategy's explanation that determines whether the strategy matches. */
type Constraint = { result: boolean };
type Strategy = {
  disabled?: boolean;
  constraints: Constraint[];
  segments: { missing?: boolean; constraints: Constraint[] }[];
  rule: {
    kind: string;
    satisfied: boolean | null;
    bucket?: number | null;
    threshold?: number | null;
    contextName?: string;
  };
};

/** The explanation of a result, without the result. */
type Explanation = {
  isEnabledInCurrentEnvironment: boolean;
  dependencies: { requires: string; variants: string[]; state: string; variant: string | null }[];
  strategies: Strategy[];
  variantSelection: {
    override: { variant: string } | null;
    bucket: number | null;
    ranges: { name: string; from: number; to: number }[];
  } | null;
};

/** Derives the result from the explanation alone: the constraint outcomes, buckets, thresholds and parent states. */
export function replay(explanation: Explanation): { isEnabled: boolean; variant: string } {
  const activeStrategies = explanation.strategies.filter(({ disabled }) => disabled !== true);
  const isEnabled =
    explanation.isEnabledInCurrentEnvironment &&
    explanation.dependencies.every(isParentSatisfied) &&
    (activeStrategies.length === 0 || activeStrategies.some(matches));
  const selection = isEnabled ? explanation.variantSelection : null;
  const range = selection?.ranges.find(
    ({ from, to }) => selection.bucket !== null && from <= selection.bucket && selection.bucket <= to,
  );
  return { isEnabled, variant: selection?.override?.variant ?? range?.name ?? 'disabled' };
}

function isParentSatisfied({ requires, variants, state, variant }: Explanation['dependencies'][number]) {
  if (state !== requires) return false;
  return requires === 'disabled' || variants.length === 0 || variants.includes(variant ?? '');
}

function matches({ constraints, segments, rule }: Strategy): boolean {
  const allConstraints = [...constraints, ...segments.flatMap(segment => segment.constraints)];
  if (allConstraints.some(({ result }) => !result) || segments.some(({ missing }) => missing)) return false;
  if (rule.kind !== 'rollout') return rule.satisfied === true;
  const { bucket = null, threshold = null } = rule;
  return bucket !== null && threshold !== null && bucket <= threshold;
}
