import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getStrategyLabel } from './strategy-names.ts';

const MIGRATIONS = new URL('../../../server/migrations', import.meta.url).pathname;

test('labels the built-in strategy types as the server does', () => {
  const sources = globSync('*.sql', { cwd: MIGRATIONS }).map(file =>
    readFileSync(join(MIGRATIONS, file), 'utf8'),
  );
  const changes = sources.flatMap(
    source => source.match(/\b(?:insert into|update|delete from) strategies\b[^;]*/g) ?? [],
  );
  const labels = changes.flatMap(change =>
    [...change.matchAll(/^\s*\('(\w+)', '([^']+)'/gm)].map(([, name = '', label]) => ({ name, label })),
  );

  // A migration that changes the types again needs its labels compared here.
  expect(changes.map(change => change.split(' ')[0])).toEqual(['insert']);
  expect(labels.length).toBe(4);
  expect(labels.map(({ name }) => ({ name, label: getStrategyLabel(name) }))).toEqual(labels);
});

test('labels a custom strategy type with its name', () => {
  expect(getStrategyLabel('weekdays')).toBe('weekdays');
  expect(getStrategyLabel('constructor')).toBe('constructor');
});
