import type { VIEWERS } from './load.ts';
import type { Search } from './plain.ts';
import { TEXTS } from './text.ts';

export type Case = {
  name: string;
  search: Search;
  caller?: (typeof VIEWERS)[number]['username'];
  /** One filter, whose CPU time also has a goal. */
  oneFilter?: true;
  /** Measured with 16 callers at a time too. */
  isConcurrent?: true;
};

/** Dense and sparse values of the log. */
const VALUES = {
  project: 'project-1',
  silent: 'project-301',
  small: 'project-299',
  feature: 'project-1-feature-1',
  rareFeature: 'project-251-feature-4',
  rareType: 'setting-deleted',
  month: { from: '2025-03-01', to: '2025-03-31' },
  manyNames: 'project-1-feature',
  someNames: 'project-251-feature',
} as const;

const TYPE = 'feature-created';
const ANY_TYPE = ['feature-deleted', 'feature-variants-updated', 'feature-import'];
const MOST = 'viewer-of-most';
const OPEN = 'viewer-of-open';
const YEARS = { from: '2024-11-20', to: '2026-10-20' };
const PRODUCTION = ['production'];

/** The cases of a log of that many events. */
export function casesOf(events: number): Case[] {
  const project = [VALUES.project];
  const type = [TYPE];
  const day = { from: VALUES.month.to, to: VALUES.month.to };
  const one = { oneFilter: true } as const;
  const isConcurrent = { isConcurrent: true } as const;
  return [
    { name: 'no filter', search: {}, ...one, ...isConcurrent },
    { name: 'project, dense', search: { project }, ...one, ...isConcurrent },
    { name: 'project, silent', search: { project: [VALUES.silent] }, ...one },
    { name: 'project, sparse', search: { project: [VALUES.small] }, ...one },
    { name: 'project, any of 2, silent', search: { project: [VALUES.silent, VALUES.small] }, ...one },
    { name: 'feature, dense', search: { feature: [VALUES.feature] }, ...one, ...isConcurrent },
    { name: 'feature, sparse', search: { feature: [VALUES.rareFeature] }, ...one },
    { name: 'feature, any of 2', search: { feature: [VALUES.feature, VALUES.rareFeature] }, ...one },
    { name: 'type, dense', search: { type }, ...one },
    { name: 'type, sparse', search: { type: [VALUES.rareType] }, ...one },
    { name: 'type, any of 3', search: { type: ANY_TYPE }, ...one, ...isConcurrent },
    { name: 'createdBy, dense', search: { createdBy: [1] }, ...one },
    { name: 'createdBy, sparse', search: { createdBy: [480] }, ...one },
    { name: 'createdBy, any of 3', search: { createdBy: [1, 20, 480] }, ...one },
    { name: 'environment', search: { environment: PRODUCTION }, ...one },
    { name: 'environment, any of 2', search: { environment: ['production', 'staging'] }, ...one },
    { name: 'one day', search: day, ...one },
    { name: 'one month', search: VALUES.month, ...one, ...isConcurrent },
    { name: 'two years', search: YEARS, ...one },
    { name: 'project and type', search: { project, type }, ...isConcurrent },
    { name: 'project and type, silent', search: { project: [VALUES.silent], type } },
    { name: 'project and type, sparse', search: { project: [VALUES.small], type: [VALUES.rareType] } },
    { name: 'project and month', search: { project, ...VALUES.month } },
    { name: 'project and two years', search: { project, ...YEARS } },
    { name: 'type and environment', search: { type, environment: PRODUCTION }, ...isConcurrent },
    { name: 'type and createdBy', search: { type, createdBy: [1] } },
    { name: 'type, any of 3, and environment', search: { type: ANY_TYPE, environment: PRODUCTION } },
    { name: 'feature and type', search: { feature: [VALUES.feature], type } },
    {
      name: 'project, type and environment',
      search: { project, type, environment: PRODUCTION },
      ...isConcurrent,
    },
    { name: 'type, createdBy and two years', search: { type, createdBy: [1], ...YEARS } },
    {
      name: 'any of 2, any of 3 and environment',
      search: { project: [VALUES.project, VALUES.silent], type: ANY_TYPE, environment: PRODUCTION },
    },
    { name: 'offset 10,000', search: { offset: 10_000 } },
    { name: 'offset, half', search: { offset: events * 0.5 } },
    { name: 'offset, nine tenths', search: { offset: events * 0.9 }, ...isConcurrent },
    { name: 'environment, deep offset', search: { environment: PRODUCTION, offset: events * 0.1 } },
    {
      name: 'project, deep offset',
      search: { project, offset: events * 0.08 },
    },
    { name: 'two years, deep offset', search: { ...YEARS, offset: events * 0.4 } },
    { name: 'page of 1,000', search: { limit: 1_000 } },
    { name: 'project, page of 1,000', search: { project, limit: 1_000 } },
    { name: 'viewer, no filter', search: {}, caller: MOST, ...isConcurrent },
    { name: 'viewer, project', search: { project }, caller: MOST },
    { name: 'viewer, type, any of 3', search: { type: ANY_TYPE }, caller: MOST },
    { name: 'viewer, one month', search: VALUES.month, caller: MOST },
    { name: 'viewer, deep offset', search: { offset: events * 0.7 }, caller: MOST },
    { name: 'viewer of half, no filter', search: {}, caller: OPEN },
    { name: 'viewer of half, type, any of 3', search: { type: ANY_TYPE }, caller: OPEN, ...isConcurrent },
    { name: 'viewer of half, one month', search: VALUES.month, caller: OPEN },
    ...textCases(),
  ];
}

function textCases(): Case[] {
  const project = [VALUES.project];
  const isConcurrent = { isConcurrent: true } as const;
  const text = (name: string, query: string, more: Partial<Case> = {}): Case => ({
    name: `text, ${name}`,
    ...more,
    search: { query, ...more.search },
  });
  return [
    text('no hit', TEXTS.inNone, isConcurrent),
    text('10 hits', TEXTS.inTen, isConcurrent),
    text('1,000 hits', TEXTS.inThousand),
    text('1 %', TEXTS.inHundredth),
    text('5 %, a word', TEXTS.word, isConcurrent),
    text('97 %', TEXTS.inNearlyAll, isConcurrent),
    text('in every event', TEXTS.inAll),
    text('1 character, no hit', 'j'),
    text('1 character, few hits', 'q'),
    text('1 character, some', 'w'),
    text('1 character, in every event', 'e'),
    text('2 characters, no hit', 'qz'),
    text('2 characters, 1 %', 'mb'),
    text('2 characters, many', 'st'),
    text('with a space, 20 %', TEXTS.sentence),
    text('with a space, 10 hits', TEXTS.sentenceInTen),
    text('two words, few', 'bastoben pustomak'),
    text('with quotes', TEXTS.quotes),
    text('with a per cent sign', TEXTS.percentSign),
    text('3 hexadecimal digits', 'a3f'),
    text('8 hexadecimal digits', '74f596e9'),
    text('a JSON member', '"disabled": false'),
    text('a day', '2025-03-12T'),
    text('beginning of many names', VALUES.manyNames),
    text('beginning of some names', VALUES.someNames),
    text('a ticket', 'HAL-12345'),
    text('upper case', TEXTS.word.toUpperCase()),
    text('97 %, offset 1,000', TEXTS.inNearlyAll, { search: { offset: 1_000 } }),
    text('no hit, in project', TEXTS.inNone, { search: { project } }),
    text('10 hits, in project', TEXTS.inTen, { search: { project } }),
    text('a word, in project', TEXTS.word, { search: { project } }),
    text('97 %, in project', TEXTS.inNearlyAll, { search: { project } }),
    text('97 %, in silent project', TEXTS.inNearlyAll, { search: { project: [VALUES.silent] } }),
    text('a word, in one month', TEXTS.word, { search: VALUES.month }),
    text('10 hits, viewer', TEXTS.inTen, { caller: MOST }),
    text('a word, viewer', TEXTS.word, { caller: MOST }),
    text('97 %, viewer of half', TEXTS.inNearlyAll, { caller: OPEN }),
  ];
}
