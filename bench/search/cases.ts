import type { VIEWERS } from './load.ts';
import type { Search } from './plain.ts';
import { TEXTS } from './text.ts';

export type Case = {
  name: string;
  search: Search;
  caller?: (typeof VIEWERS)[number]['username'];
  /** Set if the search has at most one filter. Only these cases have a CPU time goal. */
  hasOneFilter?: true;
  /** Set if the case is also measured with 16 simultaneous callers. */
  isConcurrent?: true;
};

/** Filter values that match many or few events. */
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

const DENSE_TYPE = 'feature-created';
const THREE_TYPES = ['feature-deleted', 'feature-variants-updated', 'feature-import'];
const VIEWER_OF_MOST = 'viewer-of-most';
const VIEWER_OF_OPEN = 'viewer-of-open';
const YEARS = { from: '2024-11-20', to: '2026-10-20' };
const PRODUCTION = ['production'];

/** Returns the cases for a log with this many events. */
export function buildCases(events: number): Case[] {
  const project = [VALUES.project];
  const type = [DENSE_TYPE];
  const day = { from: VALUES.month.to, to: VALUES.month.to };
  const oneFilter = { hasOneFilter: true } as const;
  const isConcurrent = { isConcurrent: true } as const;
  return [
    { name: 'no filter', search: {}, ...oneFilter, ...isConcurrent },
    { name: 'project, dense', search: { project }, ...oneFilter, ...isConcurrent },
    { name: 'project, silent', search: { project: [VALUES.silent] }, ...oneFilter },
    { name: 'project, sparse', search: { project: [VALUES.small] }, ...oneFilter },
    { name: 'project, any of 2, silent', search: { project: [VALUES.silent, VALUES.small] }, ...oneFilter },
    { name: 'feature, dense', search: { feature: [VALUES.feature] }, ...oneFilter, ...isConcurrent },
    { name: 'feature, sparse', search: { feature: [VALUES.rareFeature] }, ...oneFilter },
    { name: 'feature, any of 2', search: { feature: [VALUES.feature, VALUES.rareFeature] }, ...oneFilter },
    { name: 'type, dense', search: { type }, ...oneFilter },
    { name: 'type, sparse', search: { type: [VALUES.rareType] }, ...oneFilter },
    { name: 'type, any of 3', search: { type: THREE_TYPES }, ...oneFilter, ...isConcurrent },
    { name: 'createdBy, dense', search: { createdBy: [1] }, ...oneFilter },
    { name: 'createdBy, sparse', search: { createdBy: [480] }, ...oneFilter },
    { name: 'createdBy, any of 3', search: { createdBy: [1, 20, 480] }, ...oneFilter },
    { name: 'environment', search: { environment: PRODUCTION }, ...oneFilter },
    { name: 'environment, any of 2', search: { environment: ['production', 'staging'] }, ...oneFilter },
    { name: 'one day', search: day, ...oneFilter },
    { name: 'one month', search: VALUES.month, ...oneFilter, ...isConcurrent },
    { name: 'two years', search: YEARS, ...oneFilter },
    { name: 'project and type', search: { project, type }, ...isConcurrent },
    { name: 'project and type, silent', search: { project: [VALUES.silent], type } },
    { name: 'project and type, sparse', search: { project: [VALUES.small], type: [VALUES.rareType] } },
    { name: 'project and month', search: { project, ...VALUES.month } },
    { name: 'project and two years', search: { project, ...YEARS } },
    { name: 'type and environment', search: { type, environment: PRODUCTION }, ...isConcurrent },
    { name: 'type and createdBy', search: { type, createdBy: [1] } },
    { name: 'type, any of 3, and environment', search: { type: THREE_TYPES, environment: PRODUCTION } },
    { name: 'feature and type', search: { feature: [VALUES.feature], type } },
    {
      name: 'project, type and environment',
      search: { project, type, environment: PRODUCTION },
      ...isConcurrent,
    },
    { name: 'type, createdBy and two years', search: { type, createdBy: [1], ...YEARS } },
    {
      name: 'any of 2, any of 3 and environment',
      search: { project: [VALUES.project, VALUES.silent], type: THREE_TYPES, environment: PRODUCTION },
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
    { name: 'viewer, no filter', search: {}, caller: VIEWER_OF_MOST, ...isConcurrent },
    { name: 'viewer, project', search: { project }, caller: VIEWER_OF_MOST },
    { name: 'viewer, type, any of 3', search: { type: THREE_TYPES }, caller: VIEWER_OF_MOST },
    { name: 'viewer, one month', search: VALUES.month, caller: VIEWER_OF_MOST },
    { name: 'viewer, deep offset', search: { offset: events * 0.7 }, caller: VIEWER_OF_MOST },
    { name: 'viewer of half, no filter', search: {}, caller: VIEWER_OF_OPEN },
    {
      name: 'viewer of half, type, any of 3',
      search: { type: THREE_TYPES },
      caller: VIEWER_OF_OPEN,
      ...isConcurrent,
    },
    { name: 'viewer of half, one month', search: VALUES.month, caller: VIEWER_OF_OPEN },
    ...textCases(),
  ];
}

function textCases(): Case[] {
  const project = [VALUES.project];
  const isConcurrent = { isConcurrent: true } as const;
  const text = (name: string, query: string, options: Partial<Case> = {}): Case => ({
    name: `text, ${name}`,
    ...options,
    search: { query, ...options.search },
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
    text('1 character, some hits', 'w'),
    text('1 character, in every event', 'e'),
    text('2 characters, no hit', 'qz'),
    text('2 characters, 1 %', 'mb'),
    text('2 characters, many hits', 'st'),
    text('with a space, 20 %', TEXTS.sentence),
    text('with a space, 10 hits', TEXTS.sentenceInTen),
    text('two words, few hits', 'bastoben pustomak'),
    text('with quotes', TEXTS.quotes),
    text('with a percent sign', TEXTS.percentSign),
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
    text('10 hits, viewer', TEXTS.inTen, { caller: VIEWER_OF_MOST }),
    text('a word, viewer', TEXTS.word, { caller: VIEWER_OF_MOST }),
    text('97 %, viewer of half', TEXTS.inNearlyAll, { caller: VIEWER_OF_OPEN }),
  ];
}
