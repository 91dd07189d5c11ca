import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { replay } from '../../test/replay-explanation.ts';
import { SPECIFICATIONS, type SpecifiedCase, stateOf } from '../../test/specification.ts';
import type { Context } from './context.ts';
import type { Feature, Segment } from './document.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import { withoutPause } from './turns.ts';

const NOW = new Date().toISOString();
const ABSENT = { name: 'disabled', enabled: false, feature_enabled: false };
const resultOf = ({ isEnabled, variant }: Evaluation) => ({ isEnabled, variant: variant.name });

let cases = 0;
afterAll(() => {
  expect(cases).toBe(279);
});

test.each(SPECIFICATIONS)('evaluates $name', specification => {
  const { features, segments } = stateOf(specification);
  const documents = {
    features: new Map((features as Feature[]).map(feature => [feature.name, feature])),
    segments: new Map((segments as Segment[]).map(segment => [segment.id, segment])),
  };
  const evaluated = ({ toggleName, context }: SpecifiedCase): Evaluation | undefined => {
    const feature = documents.features.get(toggleName);
    const circumstances = { context: context as object as Context, now: NOW, documents, patterns: new Map() };
    return feature && withoutPause(evaluate(feature, circumstances, new Map()));
  };

  const { tests = [], variantTests = [] } = specification;
  const wrong = [
    ...tests.filter(one => (evaluated(one)?.isEnabled ?? false) !== one.expectedResult),
    ...variantTests.filter(one => !isDeepStrictEqual(evaluated(one)?.variant ?? ABSENT, one.expectedResult)),
    ...[...tests, ...variantTests].filter(one => {
      const evaluation = evaluated(one);
      return evaluation && !isDeepStrictEqual(replay(evaluation), resultOf(evaluation));
    }),
  ];

  expect(wrong).toEqual([]);
  cases += tests.length + variantTests.length;
});
