import { type CheckedConstraint, checkConstraint, type Patterns } from './constraints.ts';
import type { Context } from './context.ts';
import type { Constraint, Documents, Strategy } from './document.ts';
import { type Rule, ruleOf } from './rules.ts';

/** `missing`: SDKs do not know the segment, and evaluate the strategy to false. */
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

/** Everything except the flag that an evaluation depends on. */
export type Circumstances = {
  context: Context;
  /** The time of the evaluation, for contexts without currentTime. */
  now: string;
  documents: Documents;
  patterns: Patterns;
};

/** The caller may pause at every step. One constraint is compared per step. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Checks every constraint, even after one that fails. */
export function* checkStrategy(strategy: Strategy, circumstances: Circumstances): Steps<CheckedStrategy> {
  const { parameters = {}, segments: ids = [] } = strategy;
  const constraints = yield* checkAll(strategy.constraints ?? [], circumstances);
  const segments: CheckedSegment[] = [];
  for (const id of ids) segments.push(yield* checkSegment(id, circumstances));
  const rule = ruleOf(strategy.name, parameters, circumstances.context);
  const isTargeted = constraints.every(({ result }) => result) && segments.every(({ result }) => result);
  return { result: isTargeted && rule.satisfied, constraints, segments, rule };
}

function* checkSegment(id: number, circumstances: Circumstances): Steps<CheckedSegment> {
  const segment = circumstances.documents.segments.get(id);
  if (!segment) return { id, name: '', result: false, missing: true, constraints: [] };
  const constraints = yield* checkAll(segment.constraints ?? [], circumstances);
  const result = constraints.every(one => one.result);
  return { id, name: segment.name ?? '', result, missing: false, constraints };
}

function* checkAll(
  constraints: readonly Constraint[],
  { context, now, patterns }: Circumstances,
): Steps<CheckedConstraint[]> {
  const checked: CheckedConstraint[] = [];
  for (const constraint of constraints) {
    checked.push(checkConstraint(constraint, context, now, patterns));
    yield;
  }
  return checked;
}
