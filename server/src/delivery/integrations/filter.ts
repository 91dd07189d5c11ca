import { ApiError, type Violation } from '@halyard/plane/platform/errors.ts';
import { containsPattern } from '../../platform/db/like.ts';
import { listTextForms } from '../../record/events/conditions.ts';
import { type EventFilters, parseEventFilters } from '../../record/events/search-query.ts';
import type { IntegrationFilter } from './schema.ts';

/** The columns of a filter. A parameter that is not set is null. */
export type FilterColumns = {
  filter_features: string[] | null;
  filter_projects: string[] | null;
  filter_types: string[] | null;
  filter_creators: number[] | null;
  filter_environments: string[] | null;
  filter_texts: string[] | null;
};

/** Returns the filter without parameters that have no effect, or null if no parameter is left. */
export function normalizeFilter(filter: IntegrationFilter | null | undefined): IntegrationFilter | null {
  const { query, ...otherFields } = filter ?? {};
  const effectiveFields = { ...otherFields, ...(query ? { query } : {}) };
  return Object.keys(effectiveFields).length === 0 ? null : effectiveFields;
}

/** Returns violations of the event search grammar, with the same messages as the event search. */
export function findGrammarViolations(filter: IntegrationFilter | null | undefined): Violation[] {
  try {
    parse(filter);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.details.map(({ message, path }) => ({
      message,
      ...(path === undefined ? {} : { path: path.replace('/query/', '/body/filter/') }),
    }));
  }
}

/** Returns the names in a parameter of a valid filter. */
export const listFilterNames = (
  filter: IntegrationFilter | null | undefined,
  parameter: 'project' | 'type' | 'environment',
): string[] => parse(filter)[parameter] ?? [];

export const listFilterProjects = (filter: IntegrationFilter | null | undefined): string[] =>
  listFilterNames(filter, 'project');

export function toFilterColumns(filter: IntegrationFilter | null): FilterColumns {
  const { feature, project, type, createdBy, environment, query } = parse(filter);
  return {
    filter_features: feature ?? null,
    filter_projects: project ?? null,
    filter_types: type ?? null,
    filter_creators: createdBy ?? null,
    filter_environments: environment ?? null,
    filter_texts: query ? listTextForms(query).map(containsPattern) : null,
  };
}

const parse = (filter: IntegrationFilter | null | undefined): EventFilters =>
  parseEventFilters(filter ?? {}, {}, {});
