import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApiDocument } from './api-types.ts';
import { OMISSION_REASONS } from './left-out.ts';
import { findCallers, findCalls, listOperations, renderOperations } from './operations.ts';

const operations = listOperations(readApiDocument());
const callers = findCallers(operations);
const isCalled = (id: string): boolean => (callers.get(id) ?? []).length > 0;

test('the console calls every operation that has no entry in left-out.ts', () => {
  const missing = operations.filter(({ id }) => !isCalled(id) && !Object.hasOwn(OMISSION_REASONS, id));

  expect(
    missing.map(({ id, method, path }) => `${id}: ${method} ${path}`),
    'Call these operations in console/src, or add a reason to console/scripts/left-out.ts',
  ).toEqual([]);
});

test('left-out.ts lists only existing operations that the console does not call', () => {
  const ids = new Set(operations.map(({ id }) => id));

  expect(Object.keys(OMISSION_REASONS).filter(isCalled)).toEqual([]);
  expect(Object.keys(OMISSION_REASONS).filter(id => !ids.has(id))).toEqual([]);
});

test('operations.md is what `npm run api-types` writes', () => {
  const page = readFileSync(new URL('../operations.md', import.meta.url), 'utf8');

  expect(page === renderOperations(readApiDocument())).toBe(true);
});

test('finds calls with literals, constants and templates, and the URLs of links', () => {
  const source = `
    const FEATURE = '/api/admin/projects/{projectId}';
    const LINKS = \`\${FEATURE}/link\` as const;
    api.GET('/api/admin/user', {});
    unwrap(
      api.POST(
        \`\${LINKS}/{linkId}\`, { body }));
    api.DELETE(LINKS);
    const STREAM = '/api/admin/events/stream';
    fetch(\`\${STREAM}\${query}\`);
    location.assign(\`/api/admin/search/events/export\${query}\`);
  `;

  expect([...findCalls(source)]).toEqual([
    'GET /api/admin/user',
    'POST /api/admin/projects/{projectId}/link/{linkId}',
    'DELETE /api/admin/projects/{projectId}/link',
    'GET /api/admin/events/stream',
    'GET /api/admin/search/events/export',
  ]);
});
