import { ApiError } from '@halyard/plane/platform/errors.ts';
import { expect, test } from 'vitest';
import { parseFeatureSearch } from './search-query.ts';

const getRejection = (parameters: Record<string, unknown>): ApiError => {
  try {
    parseFeatureSearch(parameters);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(parameters)}`);
};

const DEFAULTS = {
  archived: false,
  favoritesFirst: false,
  sortBy: 'createdAt',
  sortOrder: 'asc',
  offset: 0,
  limit: 50,
};
const singleChoice = (value: unknown) => ({ not: false, values: [value] });

test.each([
  [{}, {}],
  [{ query: 'checkout' }, { query: ['checkout'] }],
  [{ query: ' a , b,,' }, { query: ['a', 'b'] }],
  [{ query: '' }, { query: [] }],
  [{ project: 'IS:default' }, { project: singleChoice('default') }],
  [{ project: 'IS_NOT:default' }, { project: { not: true, values: ['default'] } }],
  [{ type: 'IS_ANY_OF:release, experiment' }, { type: { not: false, values: ['release', 'experiment'] } }],
  [{ type: 'IS_NONE_OF:release,x' }, { type: { not: true, values: ['release', 'x'] } }],
  [{ state: 'IS:stale' }, { state: singleChoice('stale') }],
  [{ createdBy: 'IS:-42' }, { createdBy: singleChoice(-42) }],
  [{ createdAt: 'IS_BEFORE:2024-02-29' }, { createdAt: { before: true, day: '2024-02-29' } }],
  [{ createdAt: 'IS_ON_OR_AFTER:2026-11-15' }, { createdAt: { before: false, day: '2026-11-15' } }],
  [{ lifecycle: 'IS:pre-live' }, { lifecycle: singleChoice('pre-live') }],
  [
    { tag: 'INCLUDE:simple:a' },
    { tag: { not: false, all: false, values: [{ type: 'simple', value: 'a' }] } },
  ],
  [
    { tag: 'INCLUDE_ALL_OF:simple:a:b, team : x' },
    {
      tag: {
        not: false,
        all: true,
        values: [
          { type: 'simple', value: 'a:b' },
          { type: 'team', value: 'x' },
        ],
      },
    },
  ],
  [{ segment: 'DO_NOT_INCLUDE:a' }, { segment: { not: true, all: false, values: ['a'] } }],
  [{ segment: 'INCLUDE_ANY_OF:a,b,a' }, { segment: { not: false, all: false, values: ['a', 'b'] } }],
  [{ segment: 'EXCLUDE_IF_ANY_OF:a,b' }, { segment: { not: true, all: false, values: ['a', 'b'] } }],
  [{ segment: 'EXCLUDE_ALL:a,b' }, { segment: { not: true, all: true, values: ['a', 'b'] } }],
  [{ status: 'production:enabled' }, { status: [{ environment: 'production', enabled: true }] }],
  [
    { status: ['production:enabled', 'staging:disabled'] },
    {
      status: [
        { environment: 'production', enabled: true },
        { environment: 'staging', enabled: false },
      ],
    },
  ],
  [{ archived: 'IS:true' }, { archived: true }],
  [{ favoritesFirst: 'true' }, { favoritesFirst: true }],
  [
    { sortBy: 'name', sortOrder: 'desc' },
    { sortBy: 'name', sortOrder: 'desc' },
  ],
  [{ sortBy: 'environment:production' }, { sortBy: { environment: 'production' } }],
  [
    { limit: '1000', offset: '99999999999999999999' },
    { limit: 1_000, offset: Number.MAX_SAFE_INTEGER },
  ],
  [{ unknown: 'x' }, {}],
])('parses %j as %j', (parameters, expected) => {
  expect(parseFeatureSearch(parameters)).toEqual({ ...DEFAULTS, ...expected });
});

test.each([
  [{ query: 'a\u0000b' }],
  [{ query: 'x'.repeat(8_193) }],
  [{ query: Array(11).fill('text').join() }],
  [{ query: ['a', 'b'] }],
  [{ project: 'default' }],
  [{ project: 'INCLUDE:default' }],
  [{ project: 'IS:' }],
  [{ project: 'IS:a,' }],
  [{ project: ['IS:a', 'IS:b'] }],
  [{ 'project[]': 'IS:a' }],
  [{ type: `IS:${'x'.repeat(4_097)}` }],
  [{ state: 'IS:asleep' }],
  [{ state: 'stale' }],
  [{ createdBy: 'IS:alice' }],
  [{ createdBy: 'IS_NOT:9007199254740993' }],
  [{ createdAt: 'IS:2026-11-15' }],
  [{ createdAt: 'IS_BEFORE:2026-02-30' }],
  [{ lifecycle: 'IS:born' }],
  [{ tag: 'INCLUDE:simple' }],
  [{ tag: 'INCLUDE:simple:' }],
  [{ tag: 'INCLUDE::a' }],
  [{ tag: 'IS:simple:a' }],
  [{ segment: 'IS:a' }],
  [{ status: 'production' }],
  [{ status: ['production:enabled', 'production:on'] }],
  [{ status: ['production:enabled', 7] }],
  [{ status: Array(101).fill('production:enabled') }],
  [{ 'status[]': 'production:enabled' }],
  [{ archived: 'true' }],
  [{ favoritesFirst: 'yes' }],
  [{ sortBy: 'description' }],
  [{ sortBy: 'environment:' }],
  [{ sortBy: 'constructor' }],
  [{ sortOrder: 'up' }],
  [{ limit: '0' }],
  [{ limit: '1001' }],
  [{ offset: '-1' }],
])('rejects %j with its path', parameters => {
  const name = Object.keys(parameters)[0]?.replace(/\[.*/, '');
  const rejection = getRejection(parameters);

  expect(rejection.name).toBe('BadDataError');
  expect(rejection.details.map(detail => detail.path)).toEqual([`/query/${name}`]);
});

test('lists every violation with a message', () => {
  const rejection = getRejection({ project: 'x', state: 'IS:x', sortBy: 'x', limit: '0', tag: 'INCLUDE:x' });

  expect(rejection.details.map(detail => detail.message)).toEqual([
    'project must start with IS:, IS_NOT:, IS_ANY_OF: or IS_NONE_OF:, for example project=IS:x',
    'state must be one of active, potentially-stale, stale',
    'sortBy must be one of name, type, project, createdAt, lastSeenAt, stale, or environment:NAME, for example environment:production',
    'limit must be an integer from 1 to 1000',
    'tag must contain tags as type:value, for example INCLUDE:simple:checkout',
  ]);
});
