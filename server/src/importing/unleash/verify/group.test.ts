import { expect, test } from 'vitest';
import { describeDifferences } from './group.ts';

const makeResult = (token: string, environment: string, problems: { text: string; detail?: string }[]) => ({
  token,
  environment,
  problems,
  features: 1,
  evaluations: 1_000,
});

test('a difference is listed once for each environment, with at most three tokens', () => {
  const variants = { text: 'checkout: its variants' };
  const results = [
    ...['a', 'b', 'c', 'd', 'e'].map(name => makeResult(name, 'production', [variants])),
    makeResult('f', 'development', [variants, { text: 'search: its dependencies' }]),
    makeResult('--token 1', '', [variants]),
  ];

  expect(describeDifferences(results)).toEqual([
    'checkout: its variants (in production, tokens a, b, c and 2 more)',
    'checkout: its variants (in development, token f)',
    'search: its dependencies (in development, token f)',
    'checkout: its variants (token --token 1)',
  ]);
});

test('tokens that show a difference with different contexts share a line with the first context', () => {
  const results = ['a', 'b'].map(name =>
    makeResult(name, 'production', [{ text: 'checkout: a different result', detail: ` for user ${name}` }]),
  );

  expect(describeDifferences(results)).toEqual([
    'checkout: a different result (in production, tokens a, b) for user a',
  ]);
});
