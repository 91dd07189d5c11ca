import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PUBLIC_ROUTES } from './public-routes.ts';

test('SECURITY.md lists every public route', () => {
  const text = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8');

  expect([...PUBLIC_ROUTES].filter(route => !text.includes(`\`${route}\``))).toEqual([]);
});
