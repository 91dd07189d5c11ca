import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HELP, helpOf } from './help.ts';

const routes = [
  ...readFileSync(new URL('../routes.tsx', import.meta.url), 'utf8').matchAll(
    /\bin(?:Shell|Administration)\(\s*'([^']+)'/g,
  ),
].map(([, path = '']) => path);

test('each target is a page of the manual', () => {
  const missing = Object.values(HELP).filter(
    page => !existsSync(new URL(`../../../docs/${page}.md`, import.meta.url)),
  );

  expect(missing).toEqual([]);
});

test('each page of the console has help, and each line of the table is about a page', () => {
  expect(routes.length).toBeGreaterThan(60);
  expect(routes.filter(path => helpOf(path) === undefined)).toEqual([]);
  expect(Object.keys(HELP).filter(path => path !== '/admin' && !routes.includes(path))).toEqual([]);
  expect(routes.filter(path => path.startsWith('/admin/') && helpOf(path) === HELP['/admin'])).toEqual([]);
  expect(helpOf('/admin/segments/$segmentId')).toBe('reference/segments');
  expect(helpOf(undefined)).toBeUndefined();
});
