import { hash } from 'node:crypto';
import type { Environment, Project, Segment } from './environment.ts';
import type { Feature } from './feature.ts';
import { type Filters, isFiltered, listParents, select } from './filters.ts';

/** Which part of an environment a client gets, and in which form. */
export type Selection = {
  environment: string;
  /** Sorted. Undefined for all projects. */
  projects: readonly string[] | undefined;
  filters: Filters;
  /** Whether strategies contain the constraints of their segments, for SDKs that do not support segments. */
  inline: boolean;
};

/** The part of an environment that clients with the same access and filters get. All of them share one scope. */
export type Scope = Selection & {
  /** The id of the token whose client chose the filters, or SHARED if the scope depends on a token's projects alone. */
  readonly owner: string;
  /** Identifies the selection in the ETag. Consists of letters and digits. */
  readonly id: string;
  /** The highest revision of the rows in the scope. */
  readonly revision: number;
  /** The epoch, the id and the revision, in quotes. Servers with the same rows have the same ETag. */
  readonly etag: string;
  /** The state of the environment. It is replaced when the epoch changes. */
  readonly current: Environment;
};

/** The owner of everything that does not belong to a single token. */
export const SHARED = '';

export const NO_FILTERS: Filters = { namePrefix: '', tags: [] };

/** Returns the same string for equal selections. */
export const selectionKey = ({ environment, projects, filters, inline }: Selection): string =>
  JSON.stringify([environment, projects ?? '*', filters.namePrefix, filters.tags, inline]);

export const scopeId = (key: string): string => hash('sha256', key).slice(0, 10);

/** Returns `epoch.scope.revision`, which is the ETag without quotes and the id of events in a stream. */
export const formatPosition = (epoch: string, id: string, revision: number): string =>
  `${epoch}.${id}.${revision}`;

export function listProjects({ projects }: Selection, environment: Environment): Project[] {
  if (projects === undefined) return environment.projects;
  return environment.projects.filter(({ name }) => projects.includes(name));
}

/** Returns the features of a scope, sorted by project and name. */
export function listFeatures(selection: Selection, environment: Environment): Feature[] {
  const features = listProjects(selection, environment).flatMap(project => project.features);
  return isFiltered(selection.filters) ? select(environment, features, selection.filters) : features;
}

/** Returns the segments that features of the scope use, sorted by id. */
export function listSegments(selection: Selection, environment: Environment): Segment[] {
  const segmentIds = isFiltered(selection.filters)
    ? listFeatures(selection, environment).flatMap(({ segments }) => segments)
    : listProjects(selection, environment).flatMap(({ segments }) => [...segments.keys()]);
  return [...new Set(segmentIds)].sort((a, b) => a - b).flatMap(id => environment.segments.get(id) ?? []);
}

const highestRevision = (rows: { revision: number }[]): number =>
  rows.reduce((largest, { revision }) => Math.max(largest, revision), 0);

/**
 * Returns the highest revision of the rows in the scope. A feature that loses its tag leaves no row behind in the scope, so
 * if the scope depends on tags, every change in its projects counts.
 */
export function computeRevision(selection: Selection, environment: Environment): number {
  const projects = listProjects(selection, environment);
  const { namePrefix, tags } = selection.filters;
  if (tags.length > 0 || namePrefix === '') return highestRevision(projects);
  const features = listFeatures(selection, environment);
  const parents = new Set(features.flatMap(listParents));
  const removals = projects.flatMap(({ removals: all }) =>
    [...all.values()].filter(({ name }) => name.startsWith(namePrefix) || parents.has(name)),
  );
  return highestRevision([...features, ...removals, ...listSegments(selection, environment)]);
}
