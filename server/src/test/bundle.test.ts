import { SourceMap } from 'node:module';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { expect, test } from 'vitest';
import { reduceMappings } from '../../../scripts/package/bundle.ts';

test('a line in a library is not attributed to the nearest line of our own code', () => {
  const [ours, library, libraryToo, oursAgain] = ['AAAA', '', '', 'AACA'];

  const map = new SourceMap({
    file: 'bundle.js',
    version: 3,
    sources: ['ours.ts'],
    sourcesContent: [],
    names: [],
    sourceRoot: '',
    mappings: reduceMappings([ours, library, libraryToo, oursAgain].join(';')),
  });

  const sources = [0, 1, 2, 3].map(line => map.findEntry(line, 0));
  expect(sources).toMatchObject([{ originalSource: 'ours.ts' }, {}, {}, { originalSource: 'ours.ts' }]);
  expect(sources[1]).not.toHaveProperty('originalSource', 'ours.ts');
  expect(sources[2]).not.toHaveProperty('originalSource', 'ours.ts');
});

test('the source map of a bundle names the line of each position, but no columns', () => {
  // Three positions in one line of the bundle: two from line 1 of the source, and one from line 3.
  const reduced = reduceMappings(
    encode([
      [
        [0, 0, 0, 0],
        [10, 0, 0, 10, 0],
        [20, 0, 2, 4, 0],
      ],
    ]),
  );

  expect(decode(reduced)).toEqual([
    [
      [0, 0, 0, 0],
      [20, 0, 2, 4],
    ],
  ]);
});
