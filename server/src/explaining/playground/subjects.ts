import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import { unknownProjects } from '../../access/visibility.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import type { Feature, Segment } from '../explanation/document.ts';
import type { Turn } from '../explanation/turns.ts';
import { acceptDrafts, type Drafts, draftKey, withDraft } from './drafts.ts';
import { rejectLargeDocuments, rejectManyEvaluations } from './limits.ts';
import type { NotEvaluated, Selection } from './schema.ts';
import {
  type Chosen,
  type DocumentRow,
  listKnownEnvironments,
  listReadableFeatures,
  measureDocuments,
  readDocuments,
  type StrategyRow,
} from './store.ts';

/** A feature in an environment. */
export type Subject = { project: string; feature: Feature; strategies: StrategyRow[]; chosen: boolean };

export type Subjects = {
  /** By environment, in the order of the request, then by name. Parents of chosen features are included. */
  environments: Map<string, Subject[]>;
  segments: Map<number, Segment>;
  /** Features of a past time that have no result. */
  notEvaluated: NotEvaluated[];
};

/** The environments of a request, and their paths in it. */
export type RequestedEnvironments = { names: string[]; pathOf: (at: number) => string };

/** The features that a request names and the caller may read, with their drafts. Rejects the request if one does not exist. */
export async function readSubjects(
  db: Db,
  actor: Actor,
  asked: RequestedEnvironments,
  selection: Selection,
  contexts: number,
  turn: Turn,
): Promise<Subjects> {
  const { projects, features, drafts = [] } = selection;
  const environments = [...new Set(asked.names)];
  const named = [...new Set([...(features ?? []), ...drafts.map(draft => draft.feature)])];
  const known = new Map(
    (await listReadableFeatures(db, actor, named)).map(({ name, project }) => [name, project]),
  );
  await rejectUnknown(db, actor, asked, selection, known);
  const accepted = await acceptDrafts(db, drafts, known);

  const chosen: Chosen = {
    environments,
    projects: typeof projects === 'string' ? undefined : projects,
    features,
  };
  const { count, total, largest } = await measureDocuments(db, actor, chosen);
  rejectManyEvaluations(count, contexts);
  rejectLargeDocuments(total, largest);
  const draftSegments = [...accepted.values()].flatMap(({ strategies }) =>
    strategies.flatMap(({ segments = [] }) => segments),
  );
  const read = await readDocuments(db, actor, chosen, draftSegments, count);
  rejectUnusedDrafts(drafts, read.features);
  return {
    environments: await subjectsOf(environments, read.features, accepted, turn),
    segments: new Map(read.segments.map(({ id, document }) => [id, JSON.parse(document) as Segment])),
    notEvaluated: [],
  };
}

/** Rejects environments, projects and features that do not exist for the actor. `known` has the features that do. */
export async function rejectUnknown(
  db: Reader,
  actor: Actor,
  { names: environments, pathOf }: RequestedEnvironments,
  { projects, features = [], drafts = [] }: Selection,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const listed = typeof projects === 'string' || projects === undefined ? [] : projects;
  const hidden = await unknownProjects(db, actor, listed);
  const existing = await listKnownEnvironments(db, environments);
  const missing = (kind: string, name: string, path: string): Violation => ({
    message: `${kind} "${name}" does not exist`,
    path: `/body/${path}`,
  });
  const details = [
    ...environments.flatMap((name, at) =>
      existing.includes(name) ? [] : missing('environment', name, pathOf(at)),
    ),
    ...listed.flatMap((name, at) => (hidden.has(name) ? missing('project', name, `projects/${at}`) : [])),
    ...features.flatMap((name, at) => (known.has(name) ? [] : missing('feature', name, `features/${at}`))),
    ...drafts.flatMap(({ feature }, at) =>
      known.has(feature) ? [] : missing('feature', feature, `drafts/${at}/feature`),
    ),
  ];
  if (details.length > 0) throw badData(details);
}

function rejectUnusedDrafts(drafts: NonNullable<Selection['drafts']>, rows: DocumentRow[]): void {
  const read = new Set(rows.filter(row => row.chosen).map(row => draftKey(row.environment, row.name)));
  const details = drafts.flatMap(({ environment, feature }, at) =>
    read.has(draftKey(environment, feature))
      ? []
      : [
          {
            message: `feature "${feature}" in environment "${environment}" is not among the features that the request evaluates`,
            path: `/body/drafts/${at}`,
          },
        ],
  );
  if (details.length > 0) throw badData(details);
}

async function subjectsOf(
  environments: string[],
  rows: DocumentRow[],
  drafts: Drafts,
  turn: Turn,
): Promise<Map<string, Subject[]>> {
  const subjects = new Map(environments.map(environment => [environment, [] as Subject[]]));
  for (const row of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    subjects.get(row.environment)?.push(subjectOf(row, drafts));
    if (turn.isOver()) await turn.next();
  }
  return subjects;
}

function subjectOf(
  { environment, project, name, document, strategies, chosen }: DocumentRow,
  drafts: Drafts,
): Subject {
  const feature = JSON.parse(document) as Feature;
  const draft = drafts.get(draftKey(environment, name));
  return draft
    ? { project, feature: withDraft(feature, draft), strategies: draft.rows, chosen }
    : { project, feature, strategies, chosen };
}
