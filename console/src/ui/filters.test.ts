import { expect, test } from 'vitest';
import {
  addFilter,
  chipOf,
  type FilterField,
  filtersOf,
  INCLUDES,
  IS,
  IS_OR_NOT,
  PLAIN,
  parseTyped,
  removeFilter,
  suggest,
  textSuggestion,
  textToFind,
  typedOf,
  usualChoice,
} from './filters.ts';

const FIELDS: FilterField[] = [
  {
    name: 'project',
    key: 'project',
    label: 'Project',
    operators: IS,
    options: [
      { value: 'payments', label: 'Payments' },
      { value: 'search', label: 'Search' },
    ],
  },
  {
    name: 'createdBy',
    key: 'by',
    label: 'By',
    operators: IS,
    closed: true,
    options: [
      { value: '4', label: 'dora' },
      { value: '5', label: 'ben' },
    ],
  },
  {
    name: 'type',
    key: 'type',
    label: 'Type',
    operators: IS_OR_NOT,
    options: [{ value: 'experiment', label: 'Experiment' }],
  },
  { name: 'tag', key: 'tag', label: 'Tag', operators: INCLUDES },
  { name: 'from', key: 'since', label: 'since', operators: IS, kind: 'day' },
  {
    name: 'createdAt',
    key: 'created',
    label: 'created since',
    operators: { one: 'IS_ON_OR_AFTER' },
    kind: 'day',
  },
  { name: 'createdAt', key: 'before', label: 'created before', operators: { one: 'IS_BEFORE' }, kind: 'day' },
  {
    name: 'status',
    key: 'status',
    label: 'Status',
    operators: PLAIN,
    kind: 'status',
    options: [{ value: 'production' }],
  },
  { name: 'state', key: 'state', label: 'State', operators: PLAIN },
];
const TODAY = new Date('2026-11-15T10:00:00Z');
const CASES = [
  [
    'project:payments,search',
    'project',
    'IS_ANY_OF:payments,search',
    'Project is any of',
    'Payments, Search',
  ],
  ['project:Payments', 'project', 'IS:payments', 'Project is', 'Payments'],
  ['by:dora', 'createdBy', 'IS:4', 'By is', 'dora'],
  ['since:7d', 'from', 'IS:2026-11-08', 'since', '2026-11-08'],
  ['since:2w', 'from', 'IS:2026-11-01', 'since', '2026-11-01'],
  ['since:today', 'from', 'IS:2026-11-15', 'since', '2026-11-15'],
  ['before:2026-11-01', 'createdAt', 'IS_BEFORE:2026-11-01', 'created before', '2026-11-01'],
  ['created:2026-11-01', 'createdAt', 'IS_ON_OR_AFTER:2026-11-01', 'created since', '2026-11-01'],
  ['-type:experiment', 'type', 'IS_NOT:experiment', 'Type is not', 'Experiment'],
  [
    '-type:experiment,release',
    'type',
    'IS_NONE_OF:experiment,release',
    'Type is none of',
    'Experiment, release',
  ],
  ['tag:simple:q4', 'tag', 'INCLUDE:simple:q4', 'Tag has', 'simple:q4'],
  ['-tag:simple:q4', 'tag', 'DO_NOT_INCLUDE:simple:q4', 'Tag has not', 'simple:q4'],
  ['production:enabled', 'status', 'production:enabled', 'Enabled in', 'production'],
  ['state:retrying', 'state', 'retrying', 'State is', 'retrying'],
  ['express checkout', 'query', 'express checkout', 'Contains', 'express checkout'],
  ['https://example.com', 'query', 'https://example.com', 'Contains', 'https://example.com'],
] as const;

test.each(CASES)('reads %s as %s=%s', (typed, name, value) => {
  expect(parseTyped(typed, FIELDS, TODAY)).toEqual({ name, value });
});

test.each(CASES)('shows %s in words', (_typed, name, value, lead, values) => {
  const chip = chipOf(name, value, FIELDS);

  expect([chip.lead, chip.values.join(', ')]).toEqual([lead, values]);
});

test.each(CASES)('reads the text to edit %s as the same filter', (_typed, name, value) => {
  expect(parseTyped(typedOf(name, value, FIELDS), FIELDS, TODAY)).toEqual({ name, value });
});

test.each([
  ['by:nobody', 'By "nobody" does not exist.'],
  ['project:', 'Enter a value after "project:".'],
  ['-project:payments', '"project" cannot be excluded. Remove the minus sign.'],
  ['since:soon', 'Enter a day after "since:", such as 7d, today or 2026-11-08.'],
  ['since:2026-13-40', 'Enter a day after "since:", such as 7d, today or 2026-11-08.'],
  ['production:maybe', 'Enter production:enabled or production:disabled.'],
])('rejects %s', (typed, error) => {
  expect(parseTyped(typed, FIELDS, TODAY)).toEqual({ error });
});

test('lists the filters in a URL, without its other parameters', () => {
  const search = { project: 'IS:payments', event: '79', status: ['production:enabled', 'staging:disabled'] };

  expect(filtersOf(search, FIELDS)).toEqual([
    { name: 'project', value: 'IS:payments' },
    { name: 'status', value: 'production:enabled' },
    { name: 'status', value: 'staging:disabled' },
  ]);
});

test('replaces a filter of the same parameter, but keeps those of other environments', () => {
  const search = { project: 'IS:payments', status: 'staging:enabled' };

  const next = addFilter(
    addFilter(search, { name: 'project', value: 'IS:search' }, FIELDS),
    { name: 'status', value: 'production:enabled' },
    FIELDS,
  );

  expect(next).toEqual({ project: 'IS:search', status: ['staging:enabled', 'production:enabled'] });
  expect(removeFilter(next, { name: 'status', value: 'staging:enabled' })).toEqual({
    project: 'IS:search',
    status: 'production:enabled',
  });
});

test('suggests names of filters, then values that are not chosen yet', () => {
  expect(suggest('pro', FIELDS).map(one => one.text)).toEqual(['project:', 'production:']);
  expect(suggest('proj', FIELDS)[0]?.hint).toBe('Payments, Search');
  expect(suggest('project:Payments,', FIELDS).map(one => one.text)).toEqual(['project:Payments,Search']);
  expect(suggest('by:do', FIELDS)).toEqual([{ text: 'by:dora', label: 'dora', hint: '4', complete: true }]);
});

test('a string that is the name of a flag offers its filter first', () => {
  const flags = [{ value: 'checkout-express-b2b' }, { value: 'checkout-express' }];
  const fields = [
    { name: 'feature', key: 'flag', label: 'Flag', operators: IS, find: async () => flags, options: flags },
  ];
  const typed = 'checkout-express';

  const suggestions = [...suggest(typed, fields), textSuggestion(typed, undefined)];

  expect(suggestions.map(one => one.label)).toEqual([
    'flag:checkout-express',
    'flag:checkout-express-b2b',
    '"checkout-express"',
  ]);
  expect(usualChoice(typed, suggestions)).toBe(0);
});

test.each([
  ['pro', 'project:'],
  ['checkout', 'checkout'],
  ['project:pay', undefined],
  ['', undefined],
])('Enter after %j chooses %j', (typed, text) => {
  const suggestions = [...suggest(typed, FIELDS), textSuggestion(typed, undefined)];

  expect(suggestions[usualChoice(typed, suggestions)]?.text).toBe(text);
});

test('Enter completes the name of a filter even after values with that string were found', () => {
  const flags = [{ value: 'fl-1' }, { value: 'gulfl' }];
  const fields = [
    { name: 'feature', key: 'flag', label: 'Flag', operators: IS, find: async () => flags, options: flags },
  ];
  const suggestions = [...suggest('fl', fields), textSuggestion('fl', undefined)];

  expect(suggestions.map(({ text }) => text)).toEqual(['flag:fl-1', 'flag:gulfl', 'flag:', 'fl']);
  expect(suggestions[usualChoice('fl', suggestions)]?.text).toBe('flag:');
});

test('a second string says which one it replaces', () => {
  expect(textSuggestion('rollout', 'checkout').hint).toBe('text, instead of "checkout"');
  expect(textSuggestion('rollout', undefined).hint).toBe('text');
});

test.each([
  ['checkout', 'checkout'],
  ['flag:check', 'check'],
  ['flag:one, tw', 'tw'],
])('finds values for %j by %j', (typed, text) => {
  expect(textToFind(typed)).toBe(text);
});
