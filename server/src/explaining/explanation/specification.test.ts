import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { replay } from '../../test/replay-explanation.ts';
import { buildState, SPECIFICATIONS, type SpecifiedCase } from '../../test/specification.ts';
import type { Context } from './context.ts';
import type { Feature, Segment } from './document.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import type { Steps } from './strategies.ts';

const NOW = new Date().toISOString();
const DISABLED_VARIANT = { name: 'disabled', enabled: false, feature_enabled: false };
const toResult = ({ isEnabled, variant }: Evaluation) => ({ isEnabled, variant: variant.name });

function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

let caseCount = 0;
afterAll(() => {
  expect(caseCount).toBe(279);
});

test.each(SPECIFICATIONS)('evaluates $name', specification => {
  const { features, segments } = buildState(specification);
  const documents = {
    features: new Map((features as Feature[]).map(feature => [feature.name, feature])),
    segments: new Map((segments as Segment[]).map(segment => [segment.id, segment])),
  };
  const evaluateCase = ({ toggleName, context }: SpecifiedCase): Evaluation | undefined => {
    const feature = documents.features.get(toggleName);
    const inputs = { context: context as object as Context, now: NOW, documents, patterns: new Map() };
    return feature && runToCompletion(evaluate(feature, inputs, new Map()));
  };

  const { tests = [], variantTests = [] } = specification;
  const wrongCases = [
    ...tests.filter(flagTest => (evaluateCase(flagTest)?.isEnabled ?? false) !== flagTest.expectedResult),
    ...variantTests.filter(
      variantTest =>
        !isDeepStrictEqual(
          evaluateCase(variantTest)?.variant ?? DISABLED_VARIANT,
          variantTest.expectedResult,
        ),
    ),
    ...[...tests, ...variantTests].filter(specifiedCase => {
      const evaluation = evaluateCase(specifiedCase);
      return evaluation && !isDeepStrictEqual(replay(evaluation), toResult(evaluation));
    }),
  ];

  expect(wrongCases).toEqual([]);
  caseCount += tests.length + variantTests.length;
});
