import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { getStrategyLabel } from './strategy-names.ts';

test('labels the built-in strategy types as the server does', () => {
  const schema = readFileSync(new URL('../../../server/migrations/0006_flags.sql', import.meta.url), 'utf8');
  const [, rows = ''] = /insert into strategies .*? values([\s\S]*?);/.exec(schema) ?? [];
  const labels = [...rows.matchAll(/\('(\w+)', '([^']+)'/g)].map(([, name = '', label]) => ({ name, label }));

  expect(labels.length).toBe(4);
  expect(labels.map(({ name }) => ({ name, label: getStrategyLabel(name) }))).toEqual(labels);
  expect(getStrategyLabel('constructor')).toBe('constructor');
});
