import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApiDocument } from './api-types.ts';
import { LEFT_OUT } from './left-out.ts';
import { callersOf, callsOf, operationsOf, writeOperations } from './operations.ts';

const operations = operationsOf(readApiDocument());
const callers = callersOf(operations);
const isCalled = (id: string): boolean => (callers.get(id) ?? []).length > 0;

test('the console calls every operation, or left-out.ts says why not', () => {
  const missing = operations.filter(({ id }) => !isCalled(id) && !Object.hasOwn(LEFT_OUT, id));

  expect(
    missing.map(({ id, method, path }) => `${id}: ${method} ${path}`),
    'Call these operations in console/src, or add a reason to console/scripts/left-out.ts',
  ).toEqual([]);
});

test('left-out.ts has no reason for an operation that the console calls, and no unknown operation', () => {
  const ids = new Set(operations.map(({ id }) => id));

  expect(Object.keys(LEFT_OUT).filter(isCalled)).toEqual([]);
  expect(Object.keys(LEFT_OUT).filter(id => !ids.has(id))).toEqual([]);
});

test('operations.md is what `npm run api-types` writes', () => {
  const page = readFileSync(new URL('../operations.md', import.meta.url), 'utf8');

  expect(page === writeOperations(readApiDocument())).toBe(true);
});

test('finds calls with literals, constants and templates, and addresses of links', () => {
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

  expect([...callsOf(source)]).toEqual([
    'GET /api/admin/user',
    'POST /api/admin/projects/{projectId}/link/{linkId}',
    'DELETE /api/admin/projects/{projectId}/link',
    'GET /api/admin/events/stream',
    'GET /api/admin/search/events/export',
  ]);
});
