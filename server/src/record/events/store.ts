import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isInReadableProject, isReadable } from '../../access/store.ts';
import { type Actor, type ActorKind, getActorKind } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { selectUserName } from '../actor-names.ts';
import { registeredWriters } from '../change-writers.ts';
import type { NewEvent } from './new-event.ts';

export type { NewEvent };

export type EventRow = {
  id: number;
  createdAt: string;
  type: string;
  createdBy: string;
  createdByUserId: number | null;
  createdByKind: ActorKind | null;
  createdByToken: { id: number; name: string } | null;
  createdByClient: string | null;
  environment: string | null;
  project: string | null;
  featureName: string | null;
  data: object | null;
  preData: object | null;
  tags: { type: string; value: string }[];
  groupId: string;
  comment: string | null;
  ip: string | null;
};

/** The token that the creator used, or null if there was none. */
export const CREATED_BY_TOKEN = sql`case when created_by_token_id is not null then
  jsonb_build_object('id', created_by_token_id, 'name', created_by_token) end`;

export const EVENT_COLUMNS = sql`
  events.id, events.created_at as "createdAt", events.type, events.created_by as "createdBy",
  events.created_by_user_id as "createdByUserId", events.created_by_kind as "createdByKind",
  ${CREATED_BY_TOKEN} as "createdByToken", events.created_by_client as "createdByClient", events.environment, events.project,
  events.feature_name as "featureName", events.data, events.pre_data as "preData", events.tags,
  events.group_id as "groupId", events.comment, events.ip`;

/**
 * Builds the first part of the statement that `change()` runs. It inserts events in the order in which they were recorded. Features
 * are looked up one by one, because with a join the planner read all of them (1.5 ms at 10,000) for the one or two features of a
 * change.
 */
export function insertEvents(actor: Actor, groupId: string, events: NewEvent[]): RawBuilder<unknown> {
  const rows = events.map(event => ({
    type: event.type,
    project: event.project ?? null,
    environment: event.environment ?? null,
    feature_name: event.featureName ?? null,
    data: event.data ?? null,
    pre_data: event.preData ?? null,
    tags: event.tags ?? null,
  }));
  const { selectTags, readsText } = registeredWriters();
  return sql`
    insert into events (group_id, created_by, created_by_user_id, created_by_kind, created_by_token_id, created_by_token,
      created_by_client, ip, comment, type, project, environment, feature_name, data, pre_data, tags)
    select ${groupId}, ${actor.name}, ${actor.userId}::integer, ${getActorKind(actor)}, ${actor.token?.id ?? null}::integer,
      ${actor.token?.name ?? null}, ${actor.client ?? null}, ${actor.ip}, ${actor.comment ?? null}, type, project, environment, feature_name, data, pre_data, coalesce(recorded.tags, ${selectTags(sql`recorded.feature_name`)})
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
      type text, project text, environment text, feature_name text, data jsonb, pre_data jsonb, tags jsonb
    )) with ordinality as recorded
    order by recorded.ordinality
    returning id, created_at, type, project, environment, feature_name, created_by_user_id,
      case when type = 'integration-tested' then data ->> 'id' end as tested,
      case when ${readsText} then fold_case(event_text(data, pre_data, tags, comment)) end as text`;
}

/** Records who wrote events in which project, so that listing creators does not read the log. */
export const INSERT_CREATORS = sql`
  creators as (
    insert into event_creators (user_id, project)
    select distinct created_by_user_id, project from written
    on conflict do nothing
  )`;

type TextSearch = { query?: string | undefined };

/** Returns whether the actor sees their own events without a project. An actor whose token is limited to projects does not. */
export const canSeeOwnEvents = ({ scope }: Actor): boolean => scope?.projects === undefined;

/**
 * Builds the condition that the actor caused the event and that the event has no project. In a search by text, the actor must also
 * be able to read every listed project, because a match could reveal hidden names.
 */
export const isOwn = (actor: Actor, { query }: TextSearch) =>
  sql<SqlBool>`(project is null and created_by_user_id = ${actor.userId} ${query ? sql`and ${listsOnlyReadableProjects(actor)}` : sql``})`;

const selectReadableProjects = (actor: Actor) =>
  sql`array(select projects.id from projects where ${isReadable(actor)})`;

/**
 * Selects the projects that the filters of integrations name, such as `IS_ANY_OF:default,payments`. `parts` is a list of JSON
 * objects.
 */
const selectFilterProjects = (parts: RawBuilder<unknown>) => sql`
  select btrim(named) from jsonb_path_query(${parts}, '$[*].filter.project') as filter,
    regexp_split_to_table(regexp_replace(filter #>> '{}', '^[^:]*:', ''), ',') as named`;

/** Builds the condition that the actor can read every project that the data of the event lists. */
export const listsOnlyReadableProjects = (actor: Actor) => sql<SqlBool>`not exists (
  select from (
    select listed #>> '{}' as name from jsonb_path_query(jsonb_build_array(data, pre_data), '$[*].projects[*]') as listed
    union all ${selectFilterProjects(sql`jsonb_build_array(data, pre_data)`)}
  ) as listed
  where name <> '*' and name <> all(${selectReadableProjects(actor)})
)`;

/** Builds `data` or `pre_data` as the actor sees it, like `presentEventTo`, but in SQL. */
export function selectVisiblePayload(actor: Actor, column: 'data' | 'pre_data') {
  const part = sql.ref(column);
  if (actor.isAdmin) return part;
  const readablePart = keepReadableProjects(actor, part);
  const canReadAll = sql`(array(${selectFilterProjects(sql`jsonb_build_array(${part})`)}) <@ ${selectReadableProjects(actor)})`;
  return sql`case
    when project is null and jsonb_typeof(${part} -> 'filter') = 'object' and not ${canReadAll} then ${readablePart} - 'filter'
    else ${readablePart}
  end`;
}

function keepReadableProjects(actor: Actor, part: RawBuilder<unknown>) {
  const projects = sql`${part} -> 'projects'`;
  return sql`(case
    when project is null and jsonb_typeof(${projects}) = 'array' and ${projects} <> '[]' then ${part} - 'projects' || coalesce((
      select jsonb_build_object('projects', jsonb_agg(listed order by place))
      from jsonb_array_elements(${projects}) with ordinality as lists (listed, place)
      where listed #>> '{}' = any(array['*'] || ${selectReadableProjects(actor)})
      having count(*) > 0
    ), '{}')
    else ${part}
  end)`;
}

/** Builds the condition that the actor can read the event. `search` is the search that the event must match. */
export const isVisible = (actor: Actor, search: TextSearch) =>
  actor.isAdmin || !canSeeOwnEvents(actor)
    ? isInReadableProject(actor)
    : sql<SqlBool>`(${isInReadableProject(actor)} or ${isOwn(actor, search)})`;

export async function findEvent(db: Reader, actor: Actor, id: number): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS} from events where id = ${id} and ${isVisible(actor, {})}`.execute(db);
  return rows[0];
}

export async function listEventsBetween(
  db: Reader,
  afterId: number,
  lastId: number,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS} from events where id > ${afterId} and id <= ${lastId} order by id
    limit ${limit}`.execute(db);
  return rows;
}

/** Returns the creators of the events that the caller can see. */
export async function listEventCreators(db: Reader, actor: Actor): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select creator.id, ${selectUserName(sql`creator.id`)} as name
    from (
      select distinct user_id as id from event_creators
      where ${isInReadableProject(actor)} ${canSeeOwnEvents(actor) ? sql`or (project is null and user_id = ${actor.userId})` : sql``}
    ) as creator
    order by name, creator.id`.execute(db);
  return rows;
}
