import { badData } from '@halyard/plane/platform/errors.ts';
import type { FeatureEnvironment } from '../../flags/feature-environments/schema.ts';
import type { FeatureState } from '../../flags/features/schema.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Feature, Segment, Strategy } from '../explanation/document.ts';
import {
  MAX_EVENTS_TO_UNDO,
  rejectOversizedDocuments,
  rejectTooManyEvaluations,
  rejectTooManyEvents,
} from './limits.ts';
import type { NotEvaluated, Selection } from './schema.ts';
import {
  listChangedEnvironments,
  listCurrentStates,
  listFeatureEvents,
  listSegmentEvents,
  listSegments,
} from './store.ts';
import { type RequestedEnvironments, rejectUnknown, type Subject, type Subjects } from './subjects.ts';
import { type PastState, UNDOABLE_EVENT_TYPES, undoEvent, undoSegmentEvents } from './undo.ts';

export type PastSelection = Selection & { at: string };

/**
 * Reads the features as they were at a past time: starts from their current state and undoes later events, newest first. Features
 * that had no result then, or whose state cannot be derived from the events, are listed with the reason.
 */
export async function readPastSubjects(
  db: Db,
  actor: Actor,
  requestedEnvironments: RequestedEnvironments,
  selection: PastSelection,
  contextCount: number,
): Promise<Subjects> {
  const names = validatePast(selection);
  // The state and the events must come from one snapshot.
  const pastData = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(tx => readPast(tx, actor, requestedEnvironments, selection, names));
  const environments = [...new Set(requestedEnvironments.names)];
  rejectTooManyEvaluations(names.length * environments.length, contextCount);
  const notEvaluated: NotEvaluated[] = [];
  const subjects = new Map(environments.map(environment => [environment, [] as Subject[]]));
  let total = 0;
  for (const [name, { state, gap }] of pastData.features) {
    for (const environment of environments) {
      const featureEnvironment = state.environments.find(
        ({ name: environmentName }) => environmentName === environment,
      );
      const exclusionReason =
        gap ??
        (state.archived ? 'archived' : undefined) ??
        (!featureEnvironment || pastData.changed.has(`${state.project} ${environment}`)
          ? 'environment-changed'
          : undefined);
      const isRequested = names.includes(name);
      if (exclusionReason !== undefined && isRequested)
        notEvaluated.push({ feature: name, environment, reason: exclusionReason });
      if (exclusionReason !== undefined || !featureEnvironment) continue;
      const subject = {
        project: state.project,
        feature: buildDocument(state, featureEnvironment),
        ...toStrategyRows(featureEnvironment),
        isSelected: isRequested,
      };
      const size = JSON.stringify(subject).length;
      total += size;
      rejectOversizedDocuments(total, size);
      subjects.get(environment)?.push(subject);
    }
  }
  return { environments: subjects, segments: pastData.segments, notEvaluated };
}

/** The earliest time accepted: no event is older, and PostgreSQL cannot parse some earlier times. */
const FIRST_TIME = Date.UTC(1970);

function validatePast({ at, features, drafts = [] }: PastSelection): string[] {
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
            message: 'drafts cannot be combined with at: a draft replaces the current strategies',
            path: '/body/drafts',
          },
        ]
      : []),
  ];
  if (details.length > 0) throw badData(details);
  return [...new Set(features)];
}

type PastData = { features: Map<string, PastState>; segments: Map<number, Segment>; changed: Set<string> };

async function readPast(
  tx: Tx,
  actor: Actor,
  requestedEnvironments: RequestedEnvironments,
  selection: PastSelection,
  names: string[],
): Promise<PastData> {
  const { at, projects } = selection;
  const features = await readPastStates(tx, actor, names, at);
  const inProjects = (project: string) =>
    typeof projects === 'string' || projects === undefined || projects.includes(project);
  const visibleProjects = new Map(
    [...features].flatMap(([name, { state }]) => (inProjects(state.project) ? [[name, state.project]] : [])),
  );
  await rejectUnknown(tx, actor, requestedEnvironments, selection, visibleProjects);
  // One level of parents is enough, because a parent cannot have a parent itself.
  const parents = [...features.values()].flatMap(({ state }) =>
    state.dependencies.map(dependency => dependency.feature),
  );
  const parentNames = [...new Set(parents)].filter(name => !features.has(name));
  for (const [name, past] of await readPastStates(tx, actor, parentNames, at)) features.set(name, past);

  const segmentIds = listUsedSegmentIds(features);
  const segmentEvents = await listSegmentEvents(tx, segmentIds, at, MAX_EVENTS_TO_UNDO + 1);
  rejectTooManyEvents(segmentEvents.length, 'segments');
  const segments = new Map((await listSegments(tx, segmentIds)).map(segment => [segment.id, segment]));
  undoSegmentEvents(segments, segmentEvents);
  const changedEnvironments = await listChangedEnvironments(
    tx,
    [...new Set([...features.values()].map(({ state }) => state.project))],
    requestedEnvironments.names,
    at,
  );
  return {
    features,
    segments,
    changed: new Set(changedEnvironments.map(({ project, environment }) => `${project} ${environment}`)),
  };
}

async function readPastStates(
  tx: Tx,
  actor: Actor,
  names: string[],
  at: string,
): Promise<Map<string, PastState>> {
  const states = await listCurrentStates(tx, actor, names);
  const features = new Map(states.map(state => [state.name, { state, gap: undefined } as PastState]));
  const events = await listFeatureEvents(
    tx,
    [...features.keys()],
    UNDOABLE_EVENT_TYPES,
    at,
    MAX_EVENTS_TO_UNDO + 1,
  );
  rejectTooManyEvents(events.length, 'features');
  for (const event of events) {
    const past = features.get(event.featureName ?? '');
    if (past) undoEvent(past, event);
  }
  return features;
}

const listUsedSegmentIds = (features: ReadonlyMap<string, PastState>): number[] => [
  ...new Set(
    [...features.values()].flatMap(({ state: { environments } }) =>
      environments.flatMap(({ strategies }) => strategies.flatMap(({ segments = [] }) => segments)),
    ),
  ),
];

const sortStrategies = ({ strategies }: FeatureEnvironment) =>
  strategies.toSorted((a, b) => a.sortOrder - b.sortOrder);

/** Returns the strategies as the admin API shows them. */
const toStrategyRows = (featureEnvironment: FeatureEnvironment): Pick<Subject, 'strategies'> => ({
  strategies: sortStrategies(featureEnvironment).map(({ id, name, title = null, disabled, parameters }) => ({
    id,
    name,
    title,
    disabled,
    parameters,
  })),
});

/** Returns the feature as SDKs got it. */
function buildDocument(state: FeatureState, featureEnvironment: FeatureEnvironment): Feature {
  const strategies = sortStrategies(featureEnvironment)
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
    enabled: featureEnvironment.enabled && strategies.length > 0,
    strategies,
    variants: featureEnvironment.variants as NonNullable<Feature['variants']>,
    ...(state.dependencies.length > 0 ? { dependencies: state.dependencies } : {}),
  };
}
