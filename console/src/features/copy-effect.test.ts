import { describe, expect, test } from 'vitest';
import { describeCopyEffect } from './copy-effect.ts';
import type { Strategy } from './queries.ts';

const strategy = (title: string, disabled = false): Strategy => ({
  id: crypto.randomUUID(),
  featureName: 'checkout-v2',
  name: 'flexibleRollout',
  title,
  disabled,
  sortOrder: Math.round(Math.random() * 10),
  segments: [],
  constraints: [],
  variants: [],
  parameters: { rollout: '50' },
});
const VARIANT = { name: 'blue', weight: 1000, weightType: 'variable' as const, stickiness: 'default' };
const side = (strategies: Strategy[], enabled = true, variants = [] as (typeof VARIANT)[]) => ({
  name: 'production',
  enabled,
  strategies,
  variants,
});

describe('the effect of a copy between environments', () => {
  test('copying an environment without strategies removes all strategies and disables the flag', () => {
    expect(describeCopyEffect(side([]), side([strategy('a')]))).toEqual({
      present: 'removes 1 strategy and disables the flag',
      past: 'removed 1 strategy and disabled the flag',
      removesStrategies: true,
      disablesFlag: true,
    });
  });

  test('a flag that is already disabled is not disabled again', () => {
    expect(describeCopyEffect(side([]), side([strategy('a')], false))).toMatchObject({
      present: 'removes 1 strategy',
      disablesFlag: false,
    });
  });

  test('copying an environment whose strategies are all disabled disables the flag', () => {
    expect(describeCopyEffect(side([strategy('a', true)]), side([strategy('b')]))).toMatchObject({
      present: 'removes 1 strategy, adds 1 strategy and disables the flag',
    });
  });

  test('equal strategies count as neither removed nor added', () => {
    const [source, target] = [side([strategy('a'), strategy('b'), strategy('b')]), side([strategy('b')])];
    expect(describeCopyEffect(source, target)).toMatchObject({
      present: 'adds 2 strategies',
      removesStrategies: false,
    });
    expect(describeCopyEffect(target, target)).toBeUndefined();
  });

  test('describes reordered strategies and different variants', () => {
    const [a, b] = [strategy('a'), strategy('b')];
    expect(describeCopyEffect(side([a, b]), side([b, a]))?.present).toBe(
      'changes the order of the strategies',
    );
    expect(describeCopyEffect(side([a], true, [VARIANT]), side([a]))?.present).toBe(
      "replaces the flag's variants",
    );
    expect(describeCopyEffect(side([a]), side([a], true, [VARIANT]))?.present).toBe(
      'removes 1 variant of the flag',
    );
  });
});
