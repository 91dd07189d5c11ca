import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listAdministrationScreenshots, listScreenshots } from './pages.ts';

/** Every path in routes.tsx. */
const PATHS = [
  ...readFileSync(new URL('../../src/routes.tsx', import.meta.url), 'utf8').matchAll(
    /\b(?:outsideShell|inShell|inAdministration)\(\s*'([^']+)'/g,
  ),
].map(([, path = '']) => path);

test('takes a screenshot of every page', () => {
  const screenshotPaths = [
    ...listScreenshots({ event: 1, integration: 1, delivery: 1 }),
    ...listAdministrationScreenshots({ role: 1, group: 1, account: 1, tester: 1 }),
  ].map(({ path }) => path.replace(/\?.*/, ''));

  expect(PATHS.length).toBeGreaterThan(60);
  const missing = PATHS.filter(path => {
    const pattern = new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`);
    // A path without a parameter value, such as /segments/new, does not count as a screenshot of /segments/$segmentId.
    return !screenshotPaths.some(
      candidate => pattern.test(candidate) && (PATHS.includes(candidate) ? candidate === path : true),
    );
  });
  expect(missing).toEqual([]);
});
