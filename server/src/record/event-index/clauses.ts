import type { EventFilters } from '../events/search-query.ts';

/** A property of events that the index has. `all` has one value, the empty string. A project is empty where an event has none. */
export type Dimension = 'all' | 'day' | 'project' | 'feature' | 'type' | 'creator' | 'environment' | 'own';

/** The values of a dimension from `low` to `high`. */
export type Term = { dimension: Dimension; low: string; high: string };

/**
 * A set of events: every event or none, without those of `minus`, and with those of `plus`. The terms of one list have no event in
 * common, so their counts can be added. A search is the intersection of its clauses.
 */
export type Clause = { all: boolean; minus: Term[]; plus: Term[] };

export const termsOf = (dimension: Dimension, values: readonly (string | number)[]): Term[] =>
  [...new Set(values.map(String))].map(value => ({ dimension, low: value, high: value }));

/** Matches every event. */
export const ALL: Clause = { all: false, minus: [], plus: termsOf('all', ['']) };

const anyOf = (dimension: Dimension, values: readonly (string | number)[]): Clause => ({
  all: false,
  minus: [],
  plus: termsOf(dimension, values),
});

const FIRST_DAY = '0000-00-00';
const LAST_DAY = '9999-99-99';

/** The filters of a search that the index has, except the project, which visibility decides too. */
export function clausesOf({ feature, type, createdBy, environment, from, to }: EventFilters): Clause[] {
  return [
    ...(feature ? [anyOf('feature', feature)] : []),
    ...(type ? [anyOf('type', type)] : []),
    ...(createdBy ? [anyOf('creator', createdBy)] : []),
    ...(environment ? [anyOf('environment', environment)] : []),
    ...(from !== undefined || to !== undefined ? [daysBetween(from, to)] : []),
  ];
}

const daysBetween = (from = FIRST_DAY, to = LAST_DAY): Clause => ({
  all: false,
  minus: [],
  plus: [{ dimension: 'day', low: from, high: to }],
});

/** Events of these projects. */
export const ofProjects = (projects: readonly string[]): Clause => anyOf('project', projects);

/**
 * The events that a user sees without a filter on projects: those of readable projects, and their own without a project. `known` has
 * every project of the index. The clause is written from the shorter of the two lists: the readable or the hidden projects.
 */
export function visibleTo(userId: number | null, readable: string[], known: string[]): Clause {
  const own = userId === null ? [] : termsOf('own', [userId]);
  const isReadable = new Set(readable);
  const hidden = known.filter(project => !isReadable.has(project));
  return hidden.length < readable.length
    ? { all: true, minus: termsOf('project', ['', ...hidden]), plus: own }
    : { all: false, minus: [], plus: [...termsOf('project', readable), ...own] };
}
