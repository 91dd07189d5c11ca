import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findHelpPage, HELP } from './help.ts';

const routes = [
  ...readFileSync(new URL('../routes.tsx', import.meta.url), 'utf8').matchAll(
    /\bin(?:Shell|Administration)\(\s*'([^']+)'/g,
  ),
].map(([, path = '']) => path);

test('every manual page in the table exists', () => {
  const missing = Object.values(HELP).filter(
    page => !existsSync(new URL(`../../../docs/${page}.md`, import.meta.url)),
  );

  expect(missing).toEqual([]);
});

test('every console page has a manual page, and every entry of the table belongs to a console page', () => {
  expect(routes.length).toBeGreaterThan(60);
  expect(routes.filter(path => findHelpPage(path) === undefined)).toEqual([]);
  expect(Object.keys(HELP).filter(path => path !== '/admin' && !routes.includes(path))).toEqual([]);
  expect(routes.filter(path => path.startsWith('/admin/') && findHelpPage(path) === HELP['/admin'])).toEqual(
    [],
  );
  expect(findHelpPage('/admin/segments/$segmentId')).toBe('reference/segments');
  expect(findHelpPage(undefined)).toBeUndefined();
});
