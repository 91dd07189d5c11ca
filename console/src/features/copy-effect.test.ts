import { describe, expect, test } from 'vitest';
import { copyEffect } from './copy-effect.ts';
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
  test('a source without strategies removes all strategies and disables the flag', () => {
    expect(copyEffect(side([]), side([strategy('a')]))).toEqual({
      does: 'removes 1 strategy and disables the flag',
      did: 'removed 1 strategy and disabled the flag',
      removes: true,
      disables: true,
    });
  });

  test('a flag that is already disabled is not disabled again', () => {
    expect(copyEffect(side([]), side([strategy('a')], false))).toMatchObject({
      does: 'removes 1 strategy',
      disables: false,
    });
  });

  test('a source whose strategies are all disabled disables the flag', () => {
    expect(copyEffect(side([strategy('a', true)]), side([strategy('b')]))).toMatchObject({
      does: 'removes 1 strategy, adds 1 strategy and disables the flag',
    });
  });

  test('equal strategies count as neither removed nor added', () => {
    const [source, target] = [side([strategy('a'), strategy('b'), strategy('b')]), side([strategy('b')])];
    expect(copyEffect(source, target)).toMatchObject({ does: 'adds 2 strategies', removes: false });
    expect(copyEffect(target, target)).toBeUndefined();
  });

  test('describes reordered strategies and different variants', () => {
    const [a, b] = [strategy('a'), strategy('b')];
    expect(copyEffect(side([a, b]), side([b, a]))?.does).toBe('changes the order of the strategies');
    expect(copyEffect(side([a], true, [VARIANT]), side([a]))?.does).toBe('replaces the variants of the flag');
    expect(copyEffect(side([a]), side([a], true, [VARIANT]))?.does).toBe('removes 1 variant of the flag');
  });
});
