import { SourceMap } from 'node:module';
import { expect, test } from 'vitest';
import { markUnmapped } from '../../../scripts/package/bundle.ts';

test('a line in a library is not attributed to the nearest line of our own code', () => {
  const [ours, library, libraryToo, oursAgain] = ['AAAA', '', '', 'AACA'];

  const map = new SourceMap({
    file: 'bundle.js',
    version: 3,
    sources: ['ours.ts'],
    sourcesContent: [],
    names: [],
    sourceRoot: '',
    mappings: markUnmapped([ours, library, libraryToo, oursAgain].join(';')),
  });

  const sources = [0, 1, 2, 3].map(line => map.findEntry(line, 0));
  expect(sources).toMatchObject([{ originalSource: 'ours.ts' }, {}, {}, { originalSource: 'ours.ts' }]);
  expect(sources[1]).not.toHaveProperty('originalSource', 'ours.ts');
  expect(sources[2]).not.toHaveProperty('originalSource', 'ours.ts');
});
