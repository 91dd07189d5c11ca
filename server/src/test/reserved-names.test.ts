import { expect, test } from 'vitest';
import { RESERVED_IDS } from '../flags/projects/schema.ts';
import { listAdminOperations, type Operation } from './operations.ts';

/** Words that cannot be parameter values, because no resource can have such a name. */
const RESERVED: Record<string, readonly string[]> = { projectId: RESERVED_IDS };

const operations = listAdminOperations();

const findParameterName = (segment: string): string | undefined => /^\{(.+)\}$/.exec(segment)?.[1];

/** Returns whether this path segment can have the word as its value. */
function accepts({ parameters }: Operation, segment: string, word: string): boolean {
  const name = findParameterName(segment);
  if (name === undefined) return segment === word;
  const { pattern = '', format } = parameters.find(parameter => parameter.name === name)?.schema ?? {};
  return !RESERVED[name]?.includes(word) && format !== 'uuid' && new RegExp(String(pattern)).test(word);
}

/** Returns whether one path can be a request for both operations. */
function overlaps(operation: Operation, other: Operation): boolean {
  const [leftParts, rightParts] = [operation.path.split('/'), other.path.split('/')];
  if (operation.method !== other.method || leftParts.length !== rightParts.length) return false;
  return leftParts.every((segment, index) => {
    const opposite = rightParts[index] ?? '';
    if (findParameterName(segment) === undefined) return accepts(other, opposite, segment);
    return findParameterName(opposite) !== undefined || accepts(operation, segment, opposite);
  });
}

test('no allowed name lets a path match two operations', () => {
  const ambiguous = operations.flatMap((operation, index) =>
    operations
      .slice(index + 1)
      .filter(other => overlaps(operation, other))
      .map(other => `${operation.method} ${operation.path} and ${other.path}: reserve the name`),
  );

  expect(ambiguous).toEqual([]);
});

test('every word that follows /api/admin/projects/ in a path is a reserved project id', () => {
  const words = operations
    .map(({ path }) => /^\/api\/admin\/projects\/([^/{]+)/.exec(path)?.[1])
    .filter(word => word !== undefined);

  expect(words).toContain('archive');
  expect(words.filter(word => !RESERVED_IDS.includes(word))).toEqual([]);
});
