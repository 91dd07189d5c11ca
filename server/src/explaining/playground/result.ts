import type { Context } from '../explanation/context.ts';
import { describeEvaluation, describeStrategy } from '../explanation/describe.ts';
import type { Evaluation } from '../explanation/evaluate.ts';
import type { CheckedStrategy } from '../explanation/strategies.ts';
import type { PlaygroundEvaluation, PlaygroundStrategy } from './schema.ts';
import type { StrategyRow } from './store.ts';
import type { Subject } from './subjects.ts';

type ListedStrategy = { row: StrategyRow; checked: CheckedStrategy | undefined };

/** Returns the evaluation as a response shows it. */
export function toPlaygroundEvaluation(
  { project, feature, strategies }: Subject,
  environment: string,
  context: Context,
  evaluation: Evaluation,
): PlaygroundEvaluation {
  const listedStrategies = listStrategies(strategies, evaluation.strategies);
  const editUrl = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(feature.name)}`;
  const labels = listedStrategies
    .filter(({ checked }) => checked)
    .map(({ row: { name, title } }) => toLabel(name, title));
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
      result: computeOverallResult(evaluation),
      data: listedStrategies.map(strategy => toPlaygroundStrategy(strategy, evaluation, editUrl)),
    },
    dependencies: evaluation.dependencies,
  };
}

/** Pairs each strategy with its result. SDKs get only the strategies that are not disabled, in the same order. */
function listStrategies(rows: StrategyRow[], checked: CheckedStrategy[]): ListedStrategy[] {
  const remaining = [...checked];
  return rows.map(row => ({ row, checked: row.disabled ? undefined : remaining.shift() }));
}

const toLabel = (name: string, title: string | null) => ({ name, ...(title === null ? {} : { title }) });

function computeOverallResult({ strategies, matched }: Evaluation): boolean | 'unknown' {
  if (matched !== null || strategies.length === 0) return true;
  return strategies.some(({ result }) => result === null) ? 'unknown' : false;
}

function toPlaygroundStrategy(
  { row, checked }: ListedStrategy,
  evaluation: Evaluation,
  editUrl: string,
): PlaygroundStrategy {
  const { id, name, title, disabled, parameters } = row;
  const commonFields = { id, ...toLabel(name, title), disabled, parameters, links: { edit: editUrl } };
  if (!checked) {
    return {
      ...commonFields,
      result: { enabled: 'unknown', evaluationStatus: 'unevaluated' },
      constraints: [],
      segments: [],
      explanation: 'The strategy is disabled, so SDKs do not get it.',
    };
  }
  const index = evaluation.strategies.indexOf(checked);
  const servesVariant = index === evaluation.matched && evaluation.variantSelection?.source === 'strategy';
  return {
    ...commonFields,
    result: {
      enabled: checked.result ?? 'unknown',
      evaluationStatus: checked.rule.satisfied === null ? 'incomplete' : 'complete',
      ...(servesVariant ? { variant: evaluation.variant } : {}),
    },
    constraints: checked.constraints as PlaygroundStrategy['constraints'],
    segments: checked.segments as PlaygroundStrategy['segments'],
    rule: checked.rule,
    explanation: describeStrategy(index, toLabel(name, title), checked),
  };
}
