import type { Context } from '../explanation/context.ts';
import type { Evaluation } from '../explanation/evaluate.ts';
import type { CheckedStrategy } from '../explanation/strategies.ts';
import { describeEvaluation, describeStrategy } from '../explanation/words.ts';
import type { PlaygroundEvaluation, PlaygroundStrategy } from './schema.ts';
import type { StrategyRow } from './store.ts';
import type { Subject } from './subjects.ts';

type Listed = { row: StrategyRow; checked: CheckedStrategy | undefined };

/** The evaluation as a response shows it. */
export function resultOf(
  { project, feature, strategies }: Subject,
  environment: string,
  context: Context,
  evaluation: Evaluation,
): PlaygroundEvaluation {
  const listed = listStrategies(strategies, evaluation.strategies);
  const edit = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(feature.name)}`;
  const labels = listed
    .filter(({ checked }) => checked)
    .map(({ row: { name, title } }) => labelOf(name, title));
  return {
    name: feature.name,
    projectId: project,
    environment,
    context,
    isEnabled: evaluation.isEnabled,
    isEnabledInCurrentEnvironment: evaluation.isEnabledInCurrentEnvironment,
    hasUnsatisfiedDependency: evaluation.dependencies.some(({ result }) => !result),
    reason: evaluation.reason,
    explanation: describeEvaluation(evaluation, environment, labels),
    variant: evaluation.variant,
    variants: (feature.variants ?? []) as PlaygroundEvaluation['variants'],
    variantSelection: evaluation.variantSelection,
    strategies: {
      result: overall(evaluation),
      data: listed.map(one => strategyOf(one, evaluation, edit)),
    },
    dependencies: evaluation.dependencies,
  };
}

/** SDKs get the strategies that are not disabled, in the same order. */
function listStrategies(rows: StrategyRow[], checked: CheckedStrategy[]): Listed[] {
  const rest = [...checked];
  return rows.map(row => ({ row, checked: row.disabled ? undefined : rest.shift() }));
}

const labelOf = (name: string, title: string | null) => ({ name, ...(title === null ? {} : { title }) });

function overall({ strategies, matched }: Evaluation): boolean | 'unknown' {
  if (matched !== null || strategies.length === 0) return true;
  return strategies.some(({ result }) => result === null) ? 'unknown' : false;
}

function strategyOf({ row, checked }: Listed, evaluation: Evaluation, edit: string): PlaygroundStrategy {
  const { id, name, title, disabled, parameters } = row;
  const base = { id, ...labelOf(name, title), disabled, parameters, links: { edit } };
  if (!checked) {
    return {
      ...base,
      result: { enabled: 'unknown', evaluationStatus: 'unevaluated' },
      constraints: [],
      segments: [],
      explanation: 'The strategy is disabled, so SDKs do not get it.',
    };
  }
  const at = evaluation.strategies.indexOf(checked);
  const servesVariant = at === evaluation.matched && evaluation.variantSelection?.source === 'strategy';
  return {
    ...base,
    result: {
      enabled: checked.result ?? 'unknown',
      evaluationStatus: checked.rule.satisfied === null ? 'incomplete' : 'complete',
      ...(servesVariant ? { variant: evaluation.variant } : {}),
    },
    constraints: checked.constraints as PlaygroundStrategy['constraints'],
    segments: checked.segments as PlaygroundStrategy['segments'],
    rule: checked.rule,
    explanation: describeStrategy(at, labelOf(name, title), checked),
  };
}
