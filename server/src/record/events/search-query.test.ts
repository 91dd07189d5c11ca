import { ApiError } from '@halyard/plane/platform/errors.ts';
import { FILTER_PATTERN } from '@halyard/plane/platform/http/input/filter.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignSize } from '../../test/campaign.ts';
import { parseEventSearch } from './search-query.ts';

const getRejection = (parameters: Record<string, unknown>): ApiError => {
  try {
    parseEventSearch(parameters);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(parameters)}`);
};

test.each([
  [{}, {}],
  [{ project: 'IS:default' }, { project: ['default'] }],
  [{ project: 'IS:a,b' }, { project: ['a', 'b'] }],
  [{ project: 'IS_ANY_OF:a , b' }, { project: ['a', 'b'] }],
  [{ feature: 'IS:kill.search' }, { feature: ['kill.search'] }],
  [{ feature: 'IS:a:b' }, { feature: ['a:b'] }],
  [{ createdBy: 'IS_ANY_OF:7,-42' }, { createdBy: [7, -42] }],
  [{ id: 'IS:12' }, { id: [12] }],
  [{ from: 'IS:2024-02-29' }, { from: '2024-02-29' }],
  [{ query: 'a,b%' }, { query: 'a,b%' }],
  [{ query: 'a\nb\u2028' }, { query: 'a\nb\u2028' }],
  [
    { limit: '1000', offset: '007' },
    { limit: 1_000, offset: 7 },
  ],
  [{ offset: '99999999999999999999' }, { offset: Number.MAX_SAFE_INTEGER }],
  [{ unknown: 'x', __proto__: { limit: '0' } }, {}],
])('parses %j as %j', (parameters, expected) => {
  expect(parseEventSearch(parameters)).toEqual({ offset: 0, limit: 50, ...expected });
});

test.each([
  [{ project: 'default' }],
  [{ project: 'is:default' }],
  [{ project: 'IS_NOT:default' }],
  [{ project: '' }],
  [{ project: 'IS:' }],
  [{ project: 'IS: ' }],
  [{ project: 'IS:a,' }],
  [{ project: 'IS:a,,b' }],
  [{ project: 'IS:a\nb' }],
  [{ project: 'IS:a\u2028b' }],
  [{ project: ['IS:a', 'IS:b'] }],
  [{ 'project[]': 'IS:a' }],
  [{ 'project[a]': 'IS:a' }],
  [{ createdBy: 'IS:admin' }],
  [{ createdBy: 'IS:1.5' }],
  [{ createdBy: 'IS:9007199254740993' }],
  [{ id: 'IS:-4294967296' }],
  [{ from: '2024-01-01' }],
  [{ from: 'IS:2024-13-01' }],
  [{ from: 'IS:2023-02-29' }],
  [{ from: 'IS:0000-01-01' }],
  [{ from: 'IS_ANY_OF:2024-01-01' }],
  [{ to: 'IS:2024-01-01T00:00:00Z' }],
  [{ query: 'a\u0000b' }],
  [{ query: 'x'.repeat(8_193) }],
  [{ feature: `IS:${'x'.repeat(4_097)}` }],
  [{ limit: '0' }],
  [{ limit: '1001' }],
  [{ limit: '-1' }],
  [{ limit: '1.5' }],
  [{ limit: '1e2' }],
  [{ limit: '' }],
  [{ offset: '-1' }],
  [{ offset: 'abc' }],
])('rejects %j and names the parameter', parameters => {
  const name = Object.keys(parameters)[0]?.replace(/\[.*/, '');
  const rejection = getRejection(parameters);
  expect(rejection.name).toBe('BadDataError');
  expect(rejection.details.map(detail => detail.path)).toEqual([`/query/${name}`]);
});

test('lists every violation, not only the first', () => {
  const rejection = getRejection({
    project: 'default',
    limit: '0',
    from: 'IS:2024-02-31',
    createdBy: ['IS:1', 'IS:2'],
  });

  expect(rejection.details.map(detail => detail.path)).toEqual([
    '/query/project',
    '/query/limit',
    '/query/from',
    '/query/createdBy',
  ]);
  expect(rejection.details[1]?.message).toBe('limit must be an integer from 1 to 1000');
});

test('a filter is accepted if and only if it matches the published pattern and has no empty item or control character', () => {
  const pattern = new RegExp(FILTER_PATTERN);
  const pieces = fc.constantFrom(
    'IS',
    'IS_ANY_OF',
    'is',
    ':',
    ',',
    ' ',
    'a',
    'b-1',
    '\n',
    '\u2029',
    '\u0007',
    'é',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
      const text = parts.join('');
      const items = text.slice(text.indexOf(':') + 1).split(',');
      // The parser also rejects control characters, which the pattern allows.
      const shouldAccept =
        pattern.test(text) && !text.includes('\u0007') && items.every(item => item.trim() !== '');
      const isAccepted = (() => {
        try {
          parseEventSearch({ project: text });
          return true;
        } catch {
          return false;
        }
      })();
      expect(isAccepted).toBe(shouldAccept);
    }),
    { numRuns: campaignSize({ usual: 500, long: 50_000 }) },
  );
});

test('rejects a hostile filter that a backtracking pattern would never finish', () => {
  expect(getRejection({ project: `IS:${',a'.repeat(200_000)}\n` })).toBeDefined();
});
