import { expect, test } from 'vitest';
import { Namespaces } from '../flipt/schema.ts';
import { Project } from '../launchdarkly/schema.ts';
import { findShapeProblem } from './check-shape.ts';

const flagWith = (fields: object) => ({ key: 'checkout', variations: [], environments: {}, ...fields });
const project = (...flags: unknown[]) => ({ flags, segments: {} });

test.each([
  [[], 'it must be object'],
  [{ flags: [] }, 'it has no "segments"'],
  [{ flags: 1, segments: {} }, '"flags" must be array'],
  [
    project(flagWith({}), { key: 'search', variations: [] }),
    'entry 2 of "flags" ("search") has no "environments"',
  ],
  [project(flagWith({}), { variations: [], environments: {} }), 'entry 2 of "flags" has no "key"'],
  [
    project(flagWith({ environments: { production: { on: true, rules: [{ clauses: 1 }] } } })),
    'entry 1 of "flags" ("checkout"), in environments.production.rules[0].clauses, must be array',
  ],
  [project(null), 'entry 1 of "flags" must be object'],
])('names the entry and what is wrong with it: %j', (data, expectedProblem) => {
  expect(findShapeProblem(data, Project)).toBe(expectedProblem);
});

test('names the document in a file with several documents', () => {
  const documents = [{ flags: [] }, { flags: [{ key: 'a' }, { key: 'b', enabled: 'yes' }] }];

  expect(findShapeProblem(documents, Namespaces)).toBe(
    'document 2: entry 2 of "flags" ("b"), in enabled, must be boolean',
  );
  expect(findShapeProblem([1], Namespaces)).toBe('document 1 must be object');
});

test('finds no problem in data that matches the schema', () => {
  expect(findShapeProblem(project(flagWith({})), Project)).toBeUndefined();
});
