import { expect, test } from 'vitest';
import {
  addFilter,
  type FilterField,
  formatFilter,
  INCLUDES,
  IS,
  IS_OR_NOT,
  listFilters,
  PLAIN,
  parseFilter,
  removeFilter,
  toChip,
} from './filters.ts';
import {
  createTextSuggestion,
  findDefaultChoice,
  findSearchedField,
  parseSearchText,
  suggest,
  suggestValues,
} from './suggestions.ts';

const FIELDS: FilterField[] = [
  {
    name: 'parent',
    key: 'parent',
    label: 'Parent',
    operators: IS_OR_NOT,
    options: [
      {
        value: 'none',
        label: 'no parent',
        chips: {
          is: { lead: 'Has', values: ['no parent'] },
          isNot: { lead: 'Has', values: ['a parent'] },
        },
      },
      { value: 'checkout' },
    ],
  },
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
  ['-tag:simple:q4', 'tag', 'DO_NOT_INCLUDE:simple:q4', 'Tag lacks', 'simple:q4'],
  ['production:enabled', 'status', 'production:enabled', 'Enabled in', 'production'],
  ['state:retrying', 'state', 'retrying', 'State is', 'retrying'],
  ['parent:no parent', 'parent', 'IS:none', 'Has', 'no parent'],
  ['-parent:no parent', 'parent', 'IS_NOT:none', 'Has', 'a parent'],
  [
    'parent:no parent,checkout',
    'parent',
    'IS_ANY_OF:none,checkout',
    'Parent is any of',
    'no parent, checkout',
  ],
  ['express checkout', 'query', 'express checkout', 'Contains', 'express checkout'],
  ['https://example.com', 'query', 'https://example.com', 'Contains', 'https://example.com'],
] as const;

test.each(CASES)('reads %s as %s=%s', (typedText, name, value) => {
  expect(parseFilter(typedText, FIELDS, TODAY)).toEqual({ name, value });
});

test.each(CASES)('shows %s in words', (_typed, name, value, lead, values) => {
  const chip = toChip(name, value, FIELDS);

  expect([chip.lead, chip.values.join(', ')]).toEqual([lead, values]);
});

test.each(CASES)(
  'reads %s back as the same filter after formatting it for editing',
  (_typed, name, value) => {
    expect(parseFilter(formatFilter(name, value, FIELDS), FIELDS, TODAY)).toEqual({ name, value });
  },
);

test.each([
  ['by:nobody', 'Unknown "by" value: "nobody".'],
  ['project:', 'Enter a value after "project:".'],
  ['-project:payments', '"project" cannot be excluded. Remove the minus sign.'],
  ['since:soon', 'Enter a day after "since:", such as 7d, today or 2026-11-08.'],
  ['since:2026-13-40', 'Enter a day after "since:", such as 7d, today or 2026-11-08.'],
  ['production:maybe', 'Enter production:enabled or production:disabled.'],
])('rejects %s', (typedText, error) => {
  expect(parseFilter(typedText, FIELDS, TODAY)).toEqual({ error });
});

test('lists the filters in a URL, and ignores other parameters', () => {
  const search = { project: 'IS:payments', event: '79', status: ['production:enabled', 'staging:disabled'] };

  expect(listFilters(search, FIELDS)).toEqual([
    { name: 'project', value: 'IS:payments' },
    { name: 'status', value: 'production:enabled' },
    { name: 'status', value: 'staging:disabled' },
  ]);
});

test('replaces a filter for the same parameter, but adds and removes each environment separately', () => {
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

test('suggests filter names, then values that are not chosen yet', () => {
  expect(suggest('pro', FIELDS).map(suggestion => suggestion.text)).toEqual(['project:', 'production:']);
  expect(suggest('proj', FIELDS)[0]?.hint).toBe('Payments, Search');
  expect(suggest('project:Payments,', FIELDS).map(suggestion => suggestion.text)).toEqual([
    'project:Payments,Search',
  ]);
  expect(suggest('by:do', FIELDS)).toEqual([{ text: 'by:dora', label: 'dora', hint: '4', complete: true }]);
});

test('suggests the flag filter first if the exact flag name is typed', () => {
  const flags = [{ value: 'checkout-express-b2b' }, { value: 'checkout-express' }];
  const fields = [
    {
      name: 'feature',
      key: 'flag',
      label: 'Flag',
      operators: IS,
      find: async () => flags,
      findsByText: true,
      options: flags,
    },
  ];
  const typedText = 'checkout-express';

  const suggestions = [...suggest(typedText, fields), createTextSuggestion(typedText, undefined)];

  expect(suggestions.map(suggestion => suggestion.label)).toEqual([
    'flag:checkout-express',
    'flag:checkout-express-b2b',
    '"checkout-express"',
  ]);
  expect(findDefaultChoice(typedText, suggestions)).toBe(0);
});

test.each([
  ['pro', 'project:'],
  ['checkout', 'checkout'],
  ['project:', 'project:Payments'],
  ['project:pay', undefined],
  ['', undefined],
])('after %j, Enter chooses %j', (typedText, text) => {
  const suggestions = [...suggest(typedText, FIELDS), createTextSuggestion(typedText, undefined)];

  expect(suggestions[findDefaultChoice(typedText, suggestions)]?.text).toBe(text);
});

test('completes a filter name on Enter, even if values contain the typed string', () => {
  const flags = [{ value: 'fl-1' }, { value: 'gulfl' }];
  const fields = [
    {
      name: 'feature',
      key: 'flag',
      label: 'Flag',
      operators: IS,
      find: async () => flags,
      findsByText: true,
      options: flags,
    },
  ];
  const suggestions = [...suggest('fl', fields), createTextSuggestion('fl', undefined)];

  expect(suggestions.map(({ text }) => text)).toEqual(['flag:fl-1', 'flag:gulfl', 'flag:', 'fl']);
  expect(suggestions[findDefaultChoice('fl', suggestions)]?.text).toBe('flag:');
});

test('names the current search string that a new one would replace', () => {
  expect(createTextSuggestion('rollout', 'checkout').hint).toBe('text, replaces "checkout"');
  expect(createTextSuggestion('rollout', undefined).hint).toBe('text');
});

test.each([
  ['checkout', 'checkout'],
  ['flag:check', 'check'],
  ['flag:one, tw', 'tw'],
])('the input %j searches for values with %j', (typedText, text) => {
  expect(parseSearchText(typedText)).toBe(text);
});

test('without a filter name, suggests values that begin with two or more typed characters', () => {
  const suggestTexts = (typedText: string) => suggestValues(typedText, FIELDS).map(({ text }) => text);

  expect(suggestTexts('pay')).toEqual(['project:Payments']);
  expect(suggestTexts('p')).toEqual([]);
  expect(suggestTexts('ayments')).toEqual([]);
});

test.each([
  ['stale', ['state:stale', 'stale']],
  ['Stale', ['state:stale', 'Stale']],
  ['archived', ['archived:yes', 'archived:', 'archived']],
  ['disabled', ['production:disabled', 'staging:disabled', 'disabled']],
  ['payments', ['payments']],
  ['yes', ['yes']],
  ['stal', ['stal']],
])(
  'for the word %j, suggests any filters that it can mean before the plain text, and Enter chooses the first',
  (typedText, texts) => {
    const fields: FilterField[] = [
      ...FIELDS.filter(({ kind }) => kind !== 'status'),
      {
        name: 'state',
        key: 'state',
        label: 'State',
        operators: IS,
        closed: true,
        options: [{ value: 'active' }, { value: 'stale' }],
      },
      {
        name: 'archived',
        key: 'archived',
        label: 'Archived',
        operators: IS,
        closed: true,
        options: [{ value: 'true', label: 'yes' }],
      },
      {
        name: 'status',
        key: 'status',
        label: 'Status',
        operators: PLAIN,
        kind: 'status',
        options: [{ value: 'production' }, { value: 'staging' }],
      },
    ];

    const suggestions = [...suggest(typedText, fields), createTextSuggestion(typedText, undefined)];

    expect(suggestions.map(({ text }) => text)).toEqual(texts);
    expect(findDefaultChoice(typedText, suggestions)).toBe(0);
  },
);

test('searches for people only after the filter name, and accepts names with a comma', () => {
  const owner: FilterField = {
    name: 'owner',
    key: 'owner',
    label: 'Owner',
    operators: IS_OR_NOT,
    closed: true,
    find: async () => [],
    options: [{ value: 'user:7', label: 'Berg, Dora' }],
  };
  const fields = [...FIELDS, owner];

  const suggestions = suggest('-owner:dora', fields);

  expect(findSearchedField('-owner:dora', fields)).toBe(owner);
  expect(findSearchedField('berg', fields)).toBeUndefined();
  expect(suggest('berg', fields)).toEqual([]);
  expect(suggest('owne', fields)[0]?.hint).toBe('Berg, Dora or a name');
  expect(suggestions.map(({ text, label }) => [text, label])).toEqual([['-owner:user:7', 'Berg, Dora']]);
  expect(formatFilter('owner', 'IS:user:7', fields)).toBe('owner:user:7');
  expect(parseFilter('-owner:user:7', fields)).toEqual({ name: 'owner', value: 'IS_NOT:user:7' });
});
