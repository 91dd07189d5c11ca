import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyOperations, PatchError, type PatchOperation, POINTER } from './json-patch.ts';

type Case = [name: string, before: unknown, operations: PatchOperation[], after: unknown];

describe('the examples of RFC 6902', () => {
  const cases: Case[] = [
    [
      'A.1 adds a member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 adds an item',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removes an item',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replaces a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moves an item',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 tests values',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adds a nested member',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.14 unescapes ~0 and ~1',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    [
      'A.16 adds an array to the end of an array',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['replaces the whole document', [1], [{ op: 'replace', path: '', value: { a: 1 } }], { a: 1 }],
    [
      'copies a value, not a reference',
      { a: [1] },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/-', value: 2 },
      ],
      { a: [1], b: [1, 2] },
    ],
    ['replaces a member with an empty key', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
  ];

  test.each(cases)('%s', (_name, before, operations, after) => {
    expect(applyOperations(before, operations)).toEqual(after);
  });
});

describe('rejects', () => {
  test.each<[string, unknown, PatchOperation]>([
    ['a failed test', { baz: 'qux' }, { op: 'test', path: '/baz', value: 'bar' }],
    ['a test of a number against a string', { '~1': 10 }, { op: 'test', path: '/~01', value: '10' }],
    ['a missing parent', { foo: 'bar' }, { op: 'add', path: '/baz/bat', value: 'qux' }],
    ['a member of a string', { foo: 'bar' }, { op: 'add', path: '/foo/x', value: 1 }],
    ['a member of null', { foo: null }, { op: 'add', path: '/foo/x', value: 1 }],
    ['replacing a missing member', {}, { op: 'replace', path: '/foo', value: 1 }],
    ['removing a missing member', {}, { op: 'remove', path: '/foo' }],
    ['copying a missing member', {}, { op: 'copy', from: '/foo', path: '/bar' }],
    ['removing the document', {}, { op: 'remove', path: '' }],
    ['an index past the end', [1], { op: 'add', path: '/2', value: 1 }],
    ['an index with a leading zero', [1], { op: 'replace', path: '/00', value: 1 }],
    ['an index that is not a number', [1], { op: 'add', path: '/1e0', value: 1 }],
    ['a negative index', [1], { op: 'replace', path: '/-1', value: 1 }],
    ['the position after the last item as a source', [1], { op: 'copy', from: '/-', path: '/0' }],
    ['the length of an array', [1], { op: 'replace', path: '/length', value: 4_294_967_295 }],
    ['an inherited member', {}, { op: 'add', path: '/hasOwnProperty/polluted', value: 1 }],
    ['an inherited member of an array', [], { op: 'add', path: '/push/polluted', value: 1 }],
    ['a prototype', {}, { op: 'add', path: '/__proto__', value: { polluted: 1 } }],
    ['a member of a prototype', {}, { op: 'add', path: '/__proto__/polluted', value: 1 }],
    ['moving a value into itself', { a: {} }, { op: 'move', from: '/a', path: '/a/b' }],
    ['copying a value into itself', [[]], { op: 'copy', from: '', path: '/-' }],
  ])('%s', (_name, before, operation) => {
    expect(() => applyOperations(before, [operation])).toThrow(expect.objectContaining({ index: 0 }));
    expect(Object.prototype.hasOwnProperty).not.toHaveProperty('polluted');
    expect(Array.prototype.push).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });

  test('a document that doubles with each operation', () => {
    const doublingOperations: PatchOperation[] = [
      { op: 'add', path: '/a', value: [] },
      { op: 'add', path: '/a/-', value: 'x'.repeat(1_000) },
      ...Array.from({ length: 40 }, (_, at): PatchOperation[] => [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'move', from: '/b', path: `/a/${at === 0 ? '-' : 0}` },
      ]).flat(),
    ];

    expect(() => applyOperations({}, doublingOperations)).toThrow(/would exceed 2097152 characters/);
  });

  test('a document that a copy operation would nest too deeply', () => {
    const nestedDocument = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`);
    const operation: PatchOperation = { op: 'copy', from: '/other', path: '/a/a/a/a/a/a/a/a/a/a/a/a/a/b' };

    expect(() =>
      applyOperations({ ...nestedDocument, other: structuredClone(nestedDocument) }, [operation]),
    ).toThrow(/deeper than 32 levels/);
  });
});

test('the pointer pattern matches RFC 6901 pointers without control characters, in linear time', () => {
  const pattern = new RegExp(POINTER, 'u');

  for (const good of ['', '/', '/a/b', '/a~1b/~0', '/ä/🚩', '//']) expect(good).toMatch(pattern);
  for (const bad of ['a', 'a/b', '/~', '/~2', '/a\u0000', '#/a']) expect(bad).not.toMatch(pattern);
  expect(`${'/'.repeat(500)}${'a'.repeat(500)}~`).not.toMatch(pattern);
});

test('any operations on any document either apply or fail with a reason', () => {
  const pointer = fc.constantFrom(
    '',
    '/',
    '/a',
    '/a/0',
    '/a/-',
    '/b',
    '/a/0/c',
    '/length',
    '/0',
    '/-',
    '/~0',
  );
  const operations = fc.array(
    fc.record({
      op: fc.constantFrom(...(['add', 'remove', 'replace', 'move', 'copy', 'test'] as const)),
      path: pointer,
      from: pointer,
      value: fc.jsonValue({ maxDepth: 2 }),
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), operations, (document, list) => {
      let failure: unknown;
      try {
        applyOperations(structuredClone(document), list);
      } catch (error) {
        failure = error;
      }
      if (failure !== undefined) expect(failure).toBeInstanceOf(PatchError);
    }),
  );
});
