import { badData, unknownEnvironment, type Violation } from '@halyard/plane/platform/errors.ts';
import { findUnknownProjects } from '../../access/visibility.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import type { Feature, Segment } from '../explanation/document.ts';
import type { TimeSlice } from '../explanation/time-slice.ts';
import { acceptDrafts, applyDraft, type Drafts, draftKey } from './drafts.ts';
import { rejectOversizedDocuments, rejectTooManyEvaluations } from './limits.ts';
import type { NotEvaluated, Selection } from './schema.ts';
import {
  type DocumentRow,
  type FeatureSelection,
  listExistingEnvironments,
  listReadableFeatures,
  measureDocuments,
  readDocuments,
  type StrategyRow,
} from './store.ts';

/** A feature in an environment. */
export type Subject = { project: string; feature: Feature; strategies: StrategyRow[]; isSelected: boolean };

export type Subjects = {
  /** The features by environment, in request order and then by name. Includes the parents of selected features. */
  environments: Map<string, Subject[]>;
  segments: Map<number, Segment>;
  /** Features that have no result for the requested past time. */
  notEvaluated: NotEvaluated[];
};

/** The environments of a request, and where the request names each one. */
export type RequestedEnvironments = { names: string[]; getPath: (index: number) => string };

/**
 * Reads the features that a request names and the caller can read, with their drafts. Rejects the request if a feature does not
 * exist.
 */
export async function readSubjects(
  db: Db,
  actor: Actor,
  requestedEnvironments: RequestedEnvironments,
  selection: Selection,
  contextCount: number,
  slice: TimeSlice,
): Promise<Subjects> {
  const { projects, features, drafts = [] } = selection;
  const environments = [...new Set(requestedEnvironments.names)];
  const featureNames = [...new Set([...(features ?? []), ...drafts.map(draft => draft.feature)])];
  const projectsByFeature = new Map(
    (await listReadableFeatures(db, actor, featureNames)).map(({ name, project }) => [name, project]),
  );
  await rejectUnknown(db, actor, requestedEnvironments, selection, projectsByFeature);
  const acceptedDrafts = await acceptDrafts(db, drafts, projectsByFeature);

  const featureSelection: FeatureSelection = {
    environments,
    projects: typeof projects === 'string' ? undefined : projects,
    features,
  };
  const { count, total, largest } = await measureDocuments(db, actor, featureSelection);
  rejectTooManyEvaluations(count, contextCount);
  rejectOversizedDocuments(total, largest);
  const draftSegments = [...acceptedDrafts.values()].flatMap(({ strategies }) =>
    strategies.flatMap(({ segments = [] }) => segments),
  );
  const documents = await readDocuments(db, actor, featureSelection, draftSegments, count);
  rejectUnusedDrafts(drafts, documents.features);
  return {
    environments: await groupSubjects(environments, documents.features, acceptedDrafts, slice),
    segments: new Map(documents.segments.map(({ id, document }) => [id, JSON.parse(document) as Segment])),
    notEvaluated: [],
  };
}

/** Rejects environments, projects and features that do not exist for the actor. `projectsByFeature` has the features that exist. */
export async function rejectUnknown(
  db: Reader,
  actor: Actor,
  { names: environments, getPath }: RequestedEnvironments,
  { projects, features = [], drafts = [] }: Selection,
  projectsByFeature: ReadonlyMap<string, string>,
): Promise<void> {
  const projectIds = typeof projects === 'string' || projects === undefined ? [] : projects;
  const unknownIds = await findUnknownProjects(db, actor, projectIds);
  const existingEnvironments = await listExistingEnvironments(db, environments);
  const notFoundViolation = (kind: string, name: string, path: string): Violation => ({
    message: `${kind} "${name}" does not exist`,
    path: `/body/${path}`,
  });
  const details = [
    ...environments.flatMap((name, index) =>
      existingEnvironments.includes(name)
        ? []
        : { message: unknownEnvironment(name), path: `/body/${getPath(index)}` },
    ),
    ...projectIds.flatMap((name, index) =>
      unknownIds.has(name) ? notFoundViolation('project', name, `projects/${index}`) : [],
    ),
    ...features.flatMap((name, index) =>
      projectsByFeature.has(name) ? [] : notFoundViolation('feature', name, `features/${index}`),
    ),
    ...drafts.flatMap(({ feature }, index) =>
      projectsByFeature.has(feature) ? [] : notFoundViolation('feature', feature, `drafts/${index}/feature`),
    ),
  ];
  if (details.length > 0) throw badData(details);
}

function rejectUnusedDrafts(drafts: NonNullable<Selection['drafts']>, rows: DocumentRow[]): void {
  const evaluatedKeys = new Set(
    rows.filter(row => row.isSelected).map(row => draftKey(row.environment, row.name)),
  );
  const details = drafts.flatMap(({ environment, feature }, index) =>
    evaluatedKeys.has(draftKey(environment, feature))
      ? []
      : [
          {
            message: `feature "${feature}" in environment "${environment}" is not among the features that the request evaluates`,
            path: `/body/drafts/${index}`,
          },
        ],
  );
  if (details.length > 0) throw badData(details);
}

async function groupSubjects(
  environments: string[],
  rows: DocumentRow[],
  drafts: Drafts,
  slice: TimeSlice,
): Promise<Map<string, Subject[]>> {
  const subjects = new Map(environments.map(environment => [environment, [] as Subject[]]));
  for (const row of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    subjects.get(row.environment)?.push(toSubject(row, drafts));
    if (slice.isOver()) await slice.pause();
  }
  return subjects;
}

function toSubject(
  { environment, project, name, document, strategies, isSelected }: DocumentRow,
  drafts: Drafts,
): Subject {
  const feature = JSON.parse(document) as Feature;
  const draft = drafts.get(draftKey(environment, name));
  return draft
    ? { project, feature: applyDraft(feature, draft), strategies: draft.rows, isSelected }
    : { project, feature, strategies, isSelected };
}
