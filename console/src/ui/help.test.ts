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

test('every page of the console except those for login has a manual page', () => {
  expect(routes.length).toBeGreaterThan(60);
  expect(routes.filter(path => findHelpPage(path) === undefined)).toEqual([]);
});

test('an administration page has a more specific manual page than the administration', () => {
  const pages = routes.filter(path => path.startsWith('/admin/'));

  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter(path => findHelpPage(path) === HELP['/admin'])).toEqual([]);
});

test('every entry of the table belongs to a page of the console', () => {
  // The administration redirects to its first page.
  expect(Object.keys(HELP).filter(path => !routes.includes(path))).toEqual(['/admin']);
});

test('a page without an entry has the manual page of its parent', () => {
  expect(findHelpPage('/admin/segments/$segmentId')).toBe('reference/segments');
  expect(findHelpPage('/missing')).toBeUndefined();
  expect(findHelpPage(undefined)).toBeUndefined();
});
