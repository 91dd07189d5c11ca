import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Project } from '../flags/projects/schema.ts';
import { listProjects } from '../flags/projects/store.ts';
import { SYSTEM } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export type EventRecord = {
  id: number;
  /** The transaction that inserted the event. */
  xmin: string;
  group: string;
  type: string;
  project: string | null;
  featureName: string | null;
  environment: string | null;
  data: Record<string, unknown> | null;
  preData: Record<string, unknown> | null;
};

export type State = {
  projects: (Project & { xmin: string })[];
  tokens: { id: number; name: string; revoked: boolean }[];
  grants: string[];
  features: { name: string; environment: string; enabled: boolean; strategies: string[] }[];
  exposed: string[];
  events: EventRecord[];
};

export async function readState(db: Db | Tx): Promise<State> {
  const projectRows = await sql<{ id: string; xmin: string }>`select id, xmin::text from projects`.execute(
    db,
  );
  const xminById = new Map(projectRows.rows.map(row => [row.id, row.xmin]));
  const now = new Date();
  const listedProjects = [
    ...(await listProjects(db, SYSTEM, false, now)),
    ...(await listProjects(db, SYSTEM, true, now)),
  ];
  const projects = listedProjects.map(({ counts: _, lastEventAt: __, owners: ___, ...project }) => project);
  const tokens = await sql<State['tokens'][number]>`
    select id, name, revoked_at is not null as revoked from api_tokens order by id`.execute(db);
  const grants = await sql<{ grant: string }>`
    select project || ' ' || user_id as grant from user_roles where project is not null`.execute(db);
  const features = await sql<State['features'][number]>`
    select feature_name as name, environment, enabled, array(
        select id::text from feature_strategies as strategy
        where strategy.feature_name = here.feature_name and strategy.environment = here.environment order by id
      ) as strategies
    from feature_environments as here order by feature_name, environment`.execute(db);
  const events = await sql<EventRecord>`
    select id, xmin::text, group_id as group, type, project,
      feature_name as "featureName", environment, data, pre_data as "preData"
    from events order by id`.execute(db);
  return {
    projects: projects.map(project => ({ ...project, xmin: xminById.get(project.id) ?? '' })),
    tokens: tokens.rows,
    grants: grants.rows.map(row => row.grant),
    features: features.rows,
    exposed: await findExposedFeatures(db),
    events: events.rows,
  };
}

/**
 * Finds the features that are enabled without an enabled strategy, each with its environment. SDKs would enable these features for
 * everyone.
 */
export async function findExposedFeatures(db: Db | Tx, project?: string): Promise<string[]> {
  const { rows } = await sql<{ place: string }>`
    select here.feature_name || ' in ' || here.environment as place
    from feature_environments as here join features on features.name = here.feature_name
    where here.enabled and (${project ?? null}::text is null or features.project = ${project ?? null})
      and not exists (
        select from feature_strategies as strategy
        where strategy.feature_name = here.feature_name and strategy.environment = here.environment
          and not strategy.disabled
      )
    order by place`.execute(db);
  return rows.map(({ place }) => place);
}

/** Rebuilds the state from the events. Any difference from the rows means a change without an event, or an event without a change. */
export function findInconsistencies(state: State): string[] {
  return [
    ...findProjectProblems(state),
    ...findTokenProblems(state),
    ...findGrantProblems(state),
    ...findFeatureProblems(state),
    ...findGroupProblems(state.events),
  ];
}

function* findProjectProblems({ projects, events }: State): Generator<string> {
  const replayedState = new Map<string, { data: unknown; archived: boolean; xmin: string }>();
  const everRecorded = new Set<string>();
  for (const { type, project, data, preData, xmin, id } of events) {
    if (project === null || !/^project-(created|updated|archived|revived|deleted)$/.test(type)) continue;
    const lastState = replayedState.get(project);
    const followsPrevious =
      type === 'project-created'
        ? !everRecorded.has(project)
        : preData === null || isDeepStrictEqual(preData, lastState?.data);
    if (!followsPrevious || (type !== 'project-created' && !lastState))
      yield `project ${project}: event ${id} does not follow from the previous one`;
    everRecorded.add(project);
    const isArchived =
      type === 'project-archived' || (lastState?.archived === true && type !== 'project-revived');
    if (type === 'project-deleted') replayedState.delete(project);
    else replayedState.set(project, { data: data ?? lastState?.data, archived: isArchived, xmin });
  }

  const rows = new Map(projects.filter(({ id }) => id !== 'default').map(project => [project.id, project]));
  for (const id of replayedState.keys()) {
    if (!rows.has(id)) yield `project ${id}: it has events but no row`;
  }
  for (const [id, row] of rows) {
    const lastState = replayedState.get(id);
    if (!lastState) yield `project ${id}: it has a row but no event`;
    else if (
      !isDeepStrictEqual(
        [pickWrittenFields(row), row.archivedAt !== null],
        [lastState.data, lastState.archived],
      )
    )
      yield `project ${id}: its row differs from its events`;
    else if (row.xmin !== lastState.xmin)
      yield `project ${id}: its row was not written by the transaction of its last event`;
  }
}

/** Returns the fields of a project that users write. They are the ones in its events. */
const pickWrittenFields = ({
  xmin: _,
  members: __,
  favorite: ___,
  createdAt: ____,
  updatedAt: _____,
  archivedAt: ______,
  ...fields
}: State['projects'][number]) => fields;

function* findTokenProblems({ tokens, events }: State): Generator<string> {
  const replayedState = new Map<number, { name: unknown; revoked: boolean }>();
  for (const { type, data, preData, id } of events) {
    if (type === 'api-token-created') {
      if (replayedState.has(Number(data?.id))) yield `event ${id}: this token was created before`;
      replayedState.set(Number(data?.id), { name: data?.tokenName, revoked: false });
    } else if (type === 'api-token-deleted') {
      const lastState = replayedState.get(Number(preData?.id));
      if (lastState?.revoked !== false) yield `event ${id}: this token does not exist or was deleted before`;
      replayedState.set(Number(preData?.id), { name: preData?.tokenName, revoked: true });
    }
  }

  const knownIds = new Set(tokens.map(token => token.id));
  for (const [id, { name }] of replayedState) {
    if (!knownIds.has(id)) yield `token ${name}: it has events but no row`;
  }
  for (const { id, ...row } of tokens) {
    const lastState = replayedState.get(id);
    if (!lastState) yield `token ${row.name}: it has a row but no event`;
    else if (!isDeepStrictEqual(lastState, row)) yield `token ${row.name}: its row differs from its events`;
  }
}

function* findGrantProblems({ grants, events }: State): Generator<string> {
  let replayedState: string[] = [];
  for (const { type, project, data, preData } of events) {
    if (type === 'project-deleted')
      replayedState = replayedState.filter(grant => !grant.startsWith(`${project} `));
    if (type === 'user-deleted')
      replayedState = replayedState.filter(grant => !grant.endsWith(` ${preData?.id}`));
    if (type !== 'project-access-added') continue;
    const roles = data?.roles as { userIds: number[] }[];
    replayedState.push(...roles.flatMap(role => role.userIds.map(userId => `${project} ${userId}`)));
  }
  if (!isDeepStrictEqual(replayedState.toSorted(), grants.toSorted()))
    yield 'roles: the rows differ from the events';
}

function* findFeatureProblems({ features, exposed, events }: State): Generator<string> {
  for (const location of exposed) yield `feature ${location}: it is enabled without an enabled strategy`;
  const formatLocation = (name: string | null, environment: string | null) => `${name} in ${environment}`;
  const enabled = new Set<string>();
  const strategies = new Map<string, string[]>();
  for (const { type, featureName, environment, data, preData } of events) {
    const location = formatLocation(featureName, environment);
    if (type === 'feature-environment-enabled') enabled.add(location);
    if (type === 'feature-environment-disabled') enabled.delete(location);
    const knownIds = strategies.get(location) ?? [];
    if (type === 'feature-strategy-add') strategies.set(location, [...knownIds, String(data?.id)]);
    if (type === 'feature-strategy-remove')
      strategies.set(
        location,
        knownIds.filter(id => id !== preData?.id),
      );
  }
  for (const row of features) {
    const location = formatLocation(row.name, row.environment);
    if (row.enabled !== enabled.has(location)) yield `feature ${location}: enabled differs from its events`;
    if (!isDeepStrictEqual(row.strategies, (strategies.get(location) ?? []).toSorted()))
      yield `feature ${location}: its strategies differ from its events`;
  }
}

function* findGroupProblems(events: EventRecord[]): Generator<string> {
  for (const changeEvents of Map.groupBy(events, event => event.xmin).values()) {
    const groups = new Set(changeEvents.map(event => event.group));
    if (groups.size > 1) yield `a transaction has the groups ${[...groups].join(', ')}`;
  }
  for (const [group, groupEvents] of Map.groupBy(events, event => event.group)) {
    if (new Set(groupEvents.map(event => event.xmin)).size > 1)
      yield `group ${group} has several transactions`;
  }
}
