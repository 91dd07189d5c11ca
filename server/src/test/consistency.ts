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
  const written = await sql<{ id: string; xmin: string }>`select id, xmin::text from projects`.execute(db);
  const xmin = new Map(written.rows.map(row => [row.id, row.xmin]));
  const at = new Date();
  const listed = [
    ...(await listProjects(db, SYSTEM, false, at)),
    ...(await listProjects(db, SYSTEM, true, at)),
  ];
  const projects = listed.map(({ counts: _, lastEventAt: __, owners: ___, ...project }) => project);
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
    projects: projects.map(project => ({ ...project, xmin: xmin.get(project.id) ?? '' })),
    tokens: tokens.rows,
    grants: grants.rows.map(row => row.grant),
    features: features.rows,
    exposed: await exposedFeatures(db),
    events: events.rows,
  };
}

/** Features that are enabled without an enabled strategy, each with its environment: SDKs would enable them for everyone. */
export async function exposedFeatures(db: Db | Tx, project?: string): Promise<string[]> {
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

/** Rebuilds the state from the events. A difference from the rows is a change without an event, or an event without a change. */
export function inconsistencies(state: State): string[] {
  return [
    ...projectProblems(state),
    ...tokenProblems(state),
    ...grantProblems(state),
    ...featureProblems(state),
    ...groupProblems(state.events),
  ];
}

function* projectProblems({ projects, events }: State): Generator<string> {
  const recorded = new Map<string, { data: unknown; archived: boolean; xmin: string }>();
  const everRecorded = new Set<string>();
  for (const { type, project, data, preData, xmin, id } of events) {
    if (project === null || !/^project-(created|updated|archived|revived|deleted)$/.test(type)) continue;
    const last = recorded.get(project);
    const follows =
      type === 'project-created'
        ? !everRecorded.has(project)
        : preData === null || isDeepStrictEqual(preData, last?.data);
    if (!follows || (type !== 'project-created' && !last))
      yield `project ${project}: event ${id} does not follow on the one before`;
    everRecorded.add(project);
    const archived = type === 'project-archived' || (last?.archived === true && type !== 'project-revived');
    if (type === 'project-deleted') recorded.delete(project);
    else recorded.set(project, { data: data ?? last?.data, archived, xmin });
  }

  const rows = new Map(projects.filter(({ id }) => id !== 'default').map(project => [project.id, project]));
  for (const id of recorded.keys()) {
    if (!rows.has(id)) yield `project ${id}: it has events but no row`;
  }
  for (const [id, row] of rows) {
    const last = recorded.get(id);
    if (!last) yield `project ${id}: it has a row but no event`;
    else if (!isDeepStrictEqual([writtenFields(row), row.archivedAt !== null], [last.data, last.archived]))
      yield `project ${id}: its row differs from its events`;
    else if (row.xmin !== last.xmin)
      yield `project ${id}: its row was written by a transaction that is not the one of its last event`;
  }
}

/** The fields of a project that users write, which its events contain. */
const writtenFields = ({
  xmin: _,
  members: __,
  favorite: ___,
  createdAt: ____,
  updatedAt: _____,
  archivedAt: ______,
  ...fields
}: State['projects'][number]) => fields;

function* tokenProblems({ tokens, events }: State): Generator<string> {
  const recorded = new Map<number, { name: unknown; revoked: boolean }>();
  for (const { type, data, preData, id } of events) {
    if (type === 'api-token-created') {
      if (recorded.has(Number(data?.id))) yield `event ${id}: this token was created before`;
      recorded.set(Number(data?.id), { name: data?.tokenName, revoked: false });
    } else if (type === 'api-token-deleted') {
      const last = recorded.get(Number(preData?.id));
      if (last?.revoked !== false) yield `event ${id}: this token was not there to be deleted`;
      recorded.set(Number(preData?.id), { name: preData?.tokenName, revoked: true });
    }
  }

  const known = new Set(tokens.map(token => token.id));
  for (const [id, { name }] of recorded) {
    if (!known.has(id)) yield `token ${name}: it has events but no row`;
  }
  for (const { id, ...row } of tokens) {
    const last = recorded.get(id);
    if (!last) yield `token ${row.name}: it has a row but no event`;
    else if (!isDeepStrictEqual(last, row)) yield `token ${row.name}: its row differs from its events`;
  }
}

function* grantProblems({ grants, events }: State): Generator<string> {
  let recorded: string[] = [];
  for (const { type, project, data, preData } of events) {
    if (type === 'project-deleted') recorded = recorded.filter(grant => !grant.startsWith(`${project} `));
    if (type === 'user-deleted') recorded = recorded.filter(grant => !grant.endsWith(` ${preData?.id}`));
    if (type !== 'project-access-added') continue;
    const roles = data?.roles as { userIds: number[] }[];
    recorded.push(...roles.flatMap(role => role.userIds.map(userId => `${project} ${userId}`)));
  }
  if (!isDeepStrictEqual(recorded.toSorted(), grants.toSorted()))
    yield 'roles: the rows differ from what the events say';
}

function* featureProblems({ features, exposed, events }: State): Generator<string> {
  for (const place of exposed) yield `feature ${place}: it is enabled without an enabled strategy`;
  const placeOf = (name: string | null, environment: string | null) => `${name} in ${environment}`;
  const enabled = new Set<string>();
  const strategies = new Map<string, string[]>();
  for (const { type, featureName, environment, data, preData } of events) {
    const place = placeOf(featureName, environment);
    if (type === 'feature-environment-enabled') enabled.add(place);
    if (type === 'feature-environment-disabled') enabled.delete(place);
    const known = strategies.get(place) ?? [];
    if (type === 'feature-strategy-add') strategies.set(place, [...known, String(data?.id)]);
    if (type === 'feature-strategy-remove')
      strategies.set(
        place,
        known.filter(id => id !== preData?.id),
      );
  }
  for (const row of features) {
    const place = placeOf(row.name, row.environment);
    if (row.enabled !== enabled.has(place)) yield `feature ${place}: enabled differs from its events`;
    if (!isDeepStrictEqual(row.strategies, (strategies.get(place) ?? []).toSorted()))
      yield `feature ${place}: its strategies differ from its events`;
  }
}

function* groupProblems(events: EventRecord[]): Generator<string> {
  for (const written of Map.groupBy(events, event => event.xmin).values()) {
    const groups = new Set(written.map(event => event.group));
    if (groups.size > 1) yield `a transaction has the groups ${[...groups].join(', ')}`;
  }
  for (const [group, written] of Map.groupBy(events, event => event.group)) {
    if (new Set(written.map(event => event.xmin)).size > 1) yield `group ${group} has several transactions`;
  }
}
