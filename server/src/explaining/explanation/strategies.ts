import { type CheckedConstraint, checkConstraint, type Patterns } from './constraints.ts';
import type { Context } from './context.ts';
import type { Constraint, Documents, Strategy } from './document.ts';
import { evaluateRule, type Rule } from './rules.ts';

/** `missing` means that SDKs do not know the segment, so they evaluate the strategy to false. */
export type CheckedSegment = {
  id: number;
  name: string;
  result: boolean;
  missing: boolean;
  constraints: CheckedConstraint[];
};

/** `result` is null if only an application knows it. */
export type CheckedStrategy = {
  result: boolean | null;
  constraints: CheckedConstraint[];
  segments: CheckedSegment[];
  rule: Rule;
};

/** Everything that an evaluation depends on, except the flag. */
export type EvaluationInputs = {
  context: Context;
  /** The time of the evaluation, for contexts without currentTime. */
  now: string;
  documents: Documents;
  patterns: Patterns;
};

/** An evaluation in steps. Each step compares one constraint, and the caller may pause after it. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Checks every constraint, even after a constraint fails. */
export function* checkStrategy(strategy: Strategy, inputs: EvaluationInputs): Steps<CheckedStrategy> {
  const { parameters = {}, segments: ids = [] } = strategy;
  const constraints = yield* checkConstraints(strategy.constraints ?? [], inputs);
  const segments: CheckedSegment[] = [];
  for (const id of ids) segments.push(yield* checkSegment(id, inputs));
  const rule = evaluateRule(strategy.name, parameters, inputs.context);
  const isTargeted = constraints.every(({ result }) => result) && segments.every(({ result }) => result);
  return { result: isTargeted && rule.satisfied, constraints, segments, rule };
}

function* checkSegment(id: number, inputs: EvaluationInputs): Steps<CheckedSegment> {
  const segment = inputs.documents.segments.get(id);
  if (!segment) return { id, name: '', result: false, missing: true, constraints: [] };
  const constraints = yield* checkConstraints(segment.constraints ?? [], inputs);
  const result = constraints.every(constraint => constraint.result);
  return { id, name: segment.name ?? '', result, missing: false, constraints };
}

function* checkConstraints(
  constraints: readonly Constraint[],
  { context, now, patterns }: EvaluationInputs,
): Steps<CheckedConstraint[]> {
  const checkedConstraints: CheckedConstraint[] = [];
  for (const constraint of constraints) {
    checkedConstraints.push(checkConstraint(constraint, context, now, patterns));
    yield;
  }
  return checkedConstraints;
}
