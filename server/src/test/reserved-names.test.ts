import { expect, test } from 'vitest';
import { RESERVED_IDS } from '../flags/projects/schema.ts';
import { listAdminOperations, type Operation } from './operations.ts';

/** Words that cannot be the value of a parameter, because no resource can have them as its name. */
const RESERVED: Record<string, readonly string[]> = { projectId: RESERVED_IDS };

const operations = listAdminOperations();

const nameOf = (segment: string): string | undefined => /^\{(.+)\}$/.exec(segment)?.[1];

/** Whether this path segment can have the word as its value. */
function accepts({ parameters }: Operation, segment: string, word: string): boolean {
  const name = nameOf(segment);
  if (name === undefined) return segment === word;
  const { pattern = '', format } = parameters.find(one => one.name === name)?.schema ?? {};
  return !RESERVED[name]?.includes(word) && format !== 'uuid' && new RegExp(String(pattern)).test(word);
}

/** Whether one path can be a request for both operations. */
function overlaps(one: Operation, other: Operation): boolean {
  const [left, right] = [one.path.split('/'), other.path.split('/')];
  if (one.method !== other.method || left.length !== right.length) return false;
  return left.every((segment, index) => {
    const opposite = right[index] ?? '';
    if (nameOf(segment) === undefined) return accepts(other, opposite, segment);
    return nameOf(opposite) !== undefined || accepts(one, segment, opposite);
  });
}

test('no name that a caller can choose turns the path of one operation into the path of another', () => {
  const ambiguous = operations.flatMap((one, index) =>
    operations
      .slice(index + 1)
      .filter(other => overlaps(one, other))
      .map(other => `${one.method} ${one.path} and ${other.path}: reserve the name`),
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
