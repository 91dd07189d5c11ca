import type { Changes, FeatureRow, SegmentRow } from '../source.ts';
import { type Chunk, splitIntoChunks, startsChunk } from './chunks.ts';
import type { Feature } from './feature.ts';
import type { Piece } from './gzip.ts';

/** A record of a feature that was deleted, archived or moved to a different project. */
export type Removal = { readonly project: string; readonly name: string; readonly revision: number };

export type Segment = {
  readonly id: number;
  readonly revision: number;
  readonly text: string;
  piece?: Promise<Piece>;
};

export type SegmentRemoval = { readonly id: number; readonly revision: number };

/** One row at its latest revision. */
export type Change =
  | { kind: 'feature'; row: Feature }
  | { kind: 'removal'; row: Removal }
  | { kind: 'segment'; row: Segment }
  | { kind: 'segment removal'; row: SegmentRemoval };

export type Project = {
  readonly name: string;
  /** The highest revision of a feature, a removal or a used segment of the project. */
  revision: number;
  /** Sorted by name. */
  features: Feature[];
  chunks: Chunk[];
  readonly removals: Map<string, Removal>;
  /** For each used segment, the number of features that use it. */
  readonly segments: Map<number, number>;
};

/** Everything that SDKs can get for one environment, at one revision. */
export type Environment = {
  readonly epoch: string;
  revision: number;
  completeSince: number;
  /** Sorted by name. */
  projects: Project[];
  readonly segments: Map<number, Segment>;
  /** By name, which is unique among all projects. */
  readonly features: Map<string, Feature>;
  /** The changes in the order of revisions. `isCurrent` is false for those that a later change replaced. */
  history: Change[];
  /** When the history is this long, replaced changes are dropped from it. */
  compactAt: number;
};

const compareNames = (a: { name: string }, b: { name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

export function loadEnvironment(changes: Changes): Environment {
  const environment: Environment = {
    epoch: changes.epoch,
    revision: 0,
    completeSince: 0,
    projects: [],
    segments: new Map(),
    features: new Map(),
    history: [],
    compactAt: 0,
  };
  applyChanges(environment, changes);
  return environment;
}

/** Brings the environment to a newer revision in one step, so that no request sees a partial update. */
export function applyChanges(environment: Environment, changes: Changes): void {
  const newChanges: Change[] = [];
  for (const [name, rows] of Map.groupBy(changes.features, row => row.project)) {
    const project = getOrCreateProject(environment, name);
    for (const change of applyToProject(environment, project, rows)) newChanges.push(change);
  }
  for (const row of changes.segments) newChanges.push(applySegment(environment, row));
  newChanges.sort(byRevision);
  const newest = environment.history.at(-1)?.row.revision ?? 0;
  environment.history = environment.history.concat(newChanges);
  // New rows have higher revisions than all earlier rows, except for an old segment that becomes part of a feed.
  if ((newChanges[0]?.row.revision ?? newest) < newest) environment.history.sort(byRevision);
  environment.revision = changes.revision;
  if (changes.completeSince !== environment.completeSince) forgetPurged(environment, changes.completeSince);
  if (environment.history.length > environment.compactAt) compact(environment);
}

const byRevision = (a: Change, b: Change): number => a.row.revision - b.row.revision;

function compact(environment: Environment): void {
  environment.history = environment.history.filter(change => isCurrent(environment, change));
  environment.compactAt = 2 * environment.history.length + 1_000;
}

function getOrCreateProject(environment: Environment, name: string): Project {
  const existing = environment.projects.find(project => project.name === name);
  if (existing) return existing;
  const project: Project = {
    name,
    revision: 0,
    features: [],
    chunks: [],
    removals: new Map(),
    segments: new Map(),
  };
  environment.projects = [...environment.projects, project].sort(compareNames);
  return project;
}

function applyToProject(environment: Environment, project: Project, rows: FeatureRow[]): Change[] {
  const changes: Change[] = [];
  const wasEmpty = project.features.length === 0;
  for (const row of rows) {
    const { name, revision } = row;
    project.revision = Math.max(project.revision, revision);
    const oldFeature = wasEmpty ? undefined : removeFeature(project, name);
    if (oldFeature) countUses(project, oldFeature, -1);
    if (oldFeature && environment.features.get(name) === oldFeature) environment.features.delete(name);
    project.removals.delete(name);
    if (row.document === null) {
      const removal: Removal = { project: project.name, name, revision };
      project.removals.set(name, removal);
      changes.push({ kind: 'removal', row: removal });
      continue;
    }
    const feature = toFeature(row, row.document);
    countUses(project, feature, 1);
    environment.features.set(name, feature);
    changes.push({ kind: 'feature', row: feature });
    if (wasEmpty) project.features.push(feature);
    else project.features.splice(insertionIndex(project.features, name), 0, feature);
  }
  if (wasEmpty) project.features.sort(compareNames);
  project.chunks = splitIntoChunks(project.features, project.chunks);
  return changes;
}

const toFeature = ({ project, name, revision, segments, tags }: FeatureRow, text: string): Feature => ({
  project,
  name,
  revision,
  text,
  segments,
  tags,
  startsChunk: startsChunk(name),
});

/** Returns the index of a name in the sorted list, or the index at which to insert it. */
function insertionIndex(features: readonly Feature[], name: string): number {
  let low = 0;
  let high = features.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((features[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function removeFeature(project: Project, name: string): Feature | undefined {
  const index = insertionIndex(project.features, name);
  return project.features[index]?.name === name ? project.features.splice(index, 1)[0] : undefined;
}

function countUses(project: Project, { segments }: Feature, increment: 1 | -1): void {
  for (const id of segments) {
    const count = (project.segments.get(id) ?? 0) + increment;
    if (count > 0) project.segments.set(id, count);
    else project.segments.delete(id);
  }
}

function applySegment(environment: Environment, { id, revision, document }: SegmentRow): Change {
  markUses(environment.projects, id, revision);
  if (document === null) {
    environment.segments.delete(id);
    return { kind: 'segment removal', row: { id, revision } };
  }
  const segment = { id, revision, text: document };
  environment.segments.set(id, segment);
  return { kind: 'segment', row: segment };
}

/** A changed segment changes the projects that use it, and the chunks that contain its constraints. */
function markUses(projects: Project[], id: number, revision: number): void {
  for (const project of projects) {
    if (!project.segments.has(id)) continue;
    project.revision = Math.max(project.revision, revision);
    for (const chunk of project.chunks) {
      if (chunk.inline && chunk.features.some(feature => feature.segments.includes(id))) delete chunk.inline;
    }
  }
}

/** Revisions are computed from the rows that a freshly started server would read, so purged rows no longer count. */
function forgetPurged(environment: Environment, completeSince: number): void {
  environment.completeSince = completeSince;
  environment.history = environment.history.filter(
    change => !isPurgeable(change, completeSince) && isCurrent(environment, change),
  );
  for (const project of environment.projects) {
    for (const [name, { revision }] of project.removals) {
      if (revision <= completeSince) project.removals.delete(name);
    }
    const segmentRevisions = [...project.segments.keys()].map(
      id => environment.segments.get(id)?.revision ?? 0,
    );
    const rowRevisions = [...project.features, ...project.removals.values()].map(row => row.revision);
    project.revision = [...rowRevisions, ...segmentRevisions].reduce((a, b) => Math.max(a, b), 0);
  }
}

const isPurgeable = ({ kind, row }: Change, completeSince: number): boolean =>
  (kind === 'removal' || kind === 'segment removal') && row.revision <= completeSince;

/** Returns whether this is still the latest change of its row. */
export function isCurrent(environment: Environment, change: Change): boolean {
  switch (change.kind) {
    case 'feature':
      return environment.features.get(change.row.name) === change.row;
    case 'removal': {
      const project = environment.projects.find(({ name }) => name === change.row.project);
      return project?.removals.get(change.row.name) === change.row;
    }
    case 'segment':
      return environment.segments.get(change.row.id) === change.row;
    case 'segment removal':
      return !environment.segments.has(change.row.id);
  }
}
