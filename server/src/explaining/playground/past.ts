import { badData } from '../../../../plane/src/platform/errors.ts';
import type { FeatureEnvironment } from '../../flags/feature-environments/schema.ts';
import type { FeatureState } from '../../flags/features/schema.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Feature, Segment, Strategy } from '../explanation/document.ts';
import {
  MAX_UNDONE_EVENTS,
  rejectLargeDocuments,
  rejectManyEvaluations,
  rejectManyEvents,
} from './limits.ts';
import type { NotEvaluated, Selection } from './schema.ts';
import {
  listChangedEnvironments,
  listFeatureEvents,
  listSegmentEvents,
  listSegments,
  listStatesNow,
} from './store.ts';
import { type RequestedEnvironments, rejectUnknown, type Subject, type Subjects } from './subjects.ts';
import { type Past, UNDONE_TYPES, undoEvent, undoSegmentEvents } from './undo.ts';

export type PastSelection = Selection & { at: string };

/**
 * The features as they were at a time: their present state, from which the events since then are undone, newest first. Features
 * whose past state the events do not show are listed with the reason.
 */
export async function readPastSubjects(
  db: Db,
  actor: Actor,
  asked: RequestedEnvironments,
  selection: PastSelection,
  contexts: number,
): Promise<Subjects> {
  const names = checkPast(selection);
  // The state and the events must come from one snapshot.
  const read = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(tx => readPast(tx, actor, asked, selection, names));
  const environments = [...new Set(asked.names)];
  rejectManyEvaluations(names.length * environments.length, contexts);
  const notEvaluated: NotEvaluated[] = [];
  const subjects = new Map(environments.map(environment => [environment, [] as Subject[]]));
  let total = 0;
  for (const [name, { state, gap }] of read.features) {
    for (const environment of environments) {
      const here = state.environments.find(one => one.name === environment);
      const why =
        gap ??
        (state.archived ? 'archived' : undefined) ??
        (!here || read.changed.has(`${state.project} ${environment}`) ? 'environment-changed' : undefined);
      const chosen = names.includes(name);
      if (why !== undefined && chosen) notEvaluated.push({ feature: name, environment, reason: why });
      if (why !== undefined || !here) continue;
      const subject = { project: state.project, feature: documentOf(state, here), ...listed(here), chosen };
      const size = JSON.stringify(subject).length;
      total += size;
      rejectLargeDocuments(total, size);
      subjects.get(environment)?.push(subject);
    }
  }
  return { environments: subjects, segments: read.segments, notEvaluated };
}

/** Nothing is older, and PostgreSQL cannot parse every earlier time. */
const FIRST_TIME = Date.UTC(1970);

function checkPast({ at, features, drafts = [] }: PastSelection): string[] {
  const time = new Date(at).getTime();
  const details = [
    ...(Number.isNaN(time) || time < FIRST_TIME || time > Date.now()
      ? [{ message: `at must be a time from 1970 to now, not "${at}"`, path: '/body/at' }]
      : []),
    ...(features === undefined
      ? [{ message: 'at requires features: the names of the features to evaluate', path: '/body/features' }]
      : []),
    ...(drafts.length > 0
      ? [
          {
            message: 'drafts cannot be combined with at: a draft replaces present strategies',
            path: '/body/drafts',
          },
        ]
      : []),
  ];
  if (details.length > 0) throw badData(details);
  return [...new Set(features)];
}

type Read = { features: Map<string, Past>; segments: Map<number, Segment>; changed: Set<string> };

async function readPast(
  tx: Tx,
  actor: Actor,
  asked: RequestedEnvironments,
  selection: PastSelection,
  names: string[],
): Promise<Read> {
  const { at, projects } = selection;
  const features = await undone(tx, actor, names, at);
  const inProjects = (project: string) =>
    typeof projects === 'string' || projects === undefined || projects.includes(project);
  const known = new Map(
    [...features].flatMap(([name, { state }]) => (inProjects(state.project) ? [[name, state.project]] : [])),
  );
  await rejectUnknown(tx, actor, asked, selection, known);
  // A parent cannot have a parent itself.
  const parents = [...features.values()].flatMap(({ state }) => state.dependencies.map(one => one.feature));
  const others = [...new Set(parents)].filter(name => !features.has(name));
  for (const [name, past] of await undone(tx, actor, others, at)) features.set(name, past);

  const used = usedSegments(features);
  const segmentEvents = await listSegmentEvents(tx, used, at, MAX_UNDONE_EVENTS + 1);
  rejectManyEvents(segmentEvents.length, 'segments');
  const segments = new Map((await listSegments(tx, used)).map(one => [one.id, one]));
  undoSegmentEvents(segments, segmentEvents);
  const changed = await listChangedEnvironments(
    tx,
    [...new Set([...features.values()].map(({ state }) => state.project))],
    asked.names,
    at,
  );
  return {
    features,
    segments,
    changed: new Set(changed.map(({ project, environment }) => `${project} ${environment}`)),
  };
}

async function undone(tx: Tx, actor: Actor, names: string[], at: string): Promise<Map<string, Past>> {
  const states = await listStatesNow(tx, actor, names);
  const features = new Map(states.map(state => [state.name, { state, gap: undefined } as Past]));
  const events = await listFeatureEvents(tx, [...features.keys()], UNDONE_TYPES, at, MAX_UNDONE_EVENTS + 1);
  rejectManyEvents(events.length, 'features');
  for (const event of events) {
    const past = features.get(event.featureName ?? '');
    if (past) undoEvent(past, event);
  }
  return features;
}

const usedSegments = (features: ReadonlyMap<string, Past>): number[] => [
  ...new Set(
    [...features.values()].flatMap(({ state: { environments } }) =>
      environments.flatMap(({ strategies }) => strategies.flatMap(({ segments = [] }) => segments)),
    ),
  ),
];

const inOrder = ({ strategies }: FeatureEnvironment) =>
  strategies.toSorted((a, b) => a.sortOrder - b.sortOrder);

/** The strategies as the admin API shows them. */
const listed = (here: FeatureEnvironment): Pick<Subject, 'strategies'> => ({
  strategies: inOrder(here).map(({ id, name, title = null, disabled, parameters }) => ({
    id,
    name,
    title,
    disabled,
    parameters,
  })),
});

/** The feature as SDKs got it. */
function documentOf(state: FeatureState, here: FeatureEnvironment): Feature {
  const strategies = inOrder(here)
    .filter(({ disabled }) => !disabled)
    .map(({ name, parameters, constraints, segments, variants }): Strategy => {
      const { stickiness } = parameters;
      return {
        name,
        parameters,
        constraints: constraints as NonNullable<Strategy['constraints']>,
        ...(segments.length > 0 ? { segments } : {}),
        variants: variants.map(
          variant => (stickiness === undefined ? variant : { ...variant, stickiness }) as never,
        ),
      };
    });
  return {
    name: state.name,
    project: state.project,
    enabled: here.enabled && strategies.length > 0,
    strategies,
    variants: here.variants as NonNullable<Feature['variants']>,
    ...(state.dependencies.length > 0 ? { dependencies: state.dependencies } : {}),
  };
}
