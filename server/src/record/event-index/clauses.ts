import type { EventFilters } from '../events/search-query.ts';

/** A property of events that is indexed. `all` has one value, the empty string. The project is empty for an event without one. */
export type Dimension = 'all' | 'day' | 'project' | 'feature' | 'type' | 'creator' | 'environment' | 'own';

/** The values of a dimension from `low` to `high`. */
export type Term = { dimension: Dimension; low: string; high: string };

/**
 * A set of events: all events if `all` is set and no events otherwise, minus the events in `minus`, plus the events in `plus`. No two
 * terms in a list have an event in common, so their counts can be added. A search is the intersection of its clauses.
 */
export type Clause = { all: boolean; minus: Term[]; plus: Term[] };

export const toTerms = (dimension: Dimension, values: readonly (string | number)[]): Term[] =>
  [...new Set(values.map(String))].map(value => ({ dimension, low: value, high: value }));

/** Matches every event. */
export const ALL: Clause = { all: false, minus: [], plus: toTerms('all', ['']) };

const toClause = (dimension: Dimension, values: readonly (string | number)[]): Clause => ({
  all: false,
  minus: [],
  plus: toTerms(dimension, values),
});

const FIRST_DAY = '0000-00-00';
const LAST_DAY = '9999-99-99';

/** Returns the indexed filters of a search, except the project, which also depends on visibility. */
export function toClauses({ feature, type, createdBy, environment, from, to }: EventFilters): Clause[] {
  return [
    ...(feature ? [toClause('feature', feature)] : []),
    ...(type ? [toClause('type', type)] : []),
    ...(createdBy ? [toClause('creator', createdBy)] : []),
    ...(environment ? [toClause('environment', environment)] : []),
    ...(from !== undefined || to !== undefined ? [dayClause(from, to)] : []),
  ];
}

const dayClause = (from = FIRST_DAY, to = LAST_DAY): Clause => ({
  all: false,
  minus: [],
  plus: [{ dimension: 'day', low: from, high: to }],
});

/** Matches the events of these projects. */
export const projectClause = (projects: readonly string[]): Clause => toClause('project', projects);

/**
 * Matches the events that a user sees without a project filter, which are those of readable projects and the user's own events
 * without a project. `indexed` contains every project in the index. The clause is built from the shorter of two lists, the readable
 * or the hidden projects.
 */
export function visibilityClause(userId: number | null, readable: string[], indexed: string[]): Clause {
  const ownTerms = userId === null ? [] : toTerms('own', [userId]);
  const readableProjects = new Set(readable);
  const hiddenProjects = indexed.filter(project => !readableProjects.has(project));
  return hiddenProjects.length < readable.length
    ? { all: true, minus: toTerms('project', ['', ...hiddenProjects]), plus: ownTerms }
    : { all: false, minus: [], plus: [...toTerms('project', readable), ...ownTerms] };
}
