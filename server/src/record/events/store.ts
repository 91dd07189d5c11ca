import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { ofReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { OuterJoined, Reader } from '../../platform/db/database.ts';
import { likeText } from '../../platform/db/like.ts';
import { nameOfUser } from '../actor-names.ts';
import { tagsOf } from '../feature-tags.ts';
import type { EventType } from './event-types.ts';
import type { EventSearch } from './search-query.ts';

/** An event as an operation records it. */
export type NewEvent = {
  type: EventType;
  project?: string | null;
  environment?: string | null;
  featureName?: string | null;
  data?: object | null;
  preData?: object | null;
  tags?: { type: string; value: string }[];
};

export type EventRow = {
  id: number;
  createdAt: string;
  type: string;
  createdBy: string;
  createdByUserId: number | null;
  createdByKind: Actor['kind'] | null;
  environment: string | null;
  project: string | null;
  featureName: string | null;
  data: object | null;
  preData: object | null;
  tags: { type: string; value: string }[];
  groupId: string;
  ip: string | null;
};

export const EVENT_COLUMNS = sql`
  events.id, events.created_at as "createdAt", events.type, events.created_by as "createdBy",
  events.created_by_user_id as "createdByUserId", events.created_by_kind as "createdByKind", events.environment, events.project,
  events.feature_name as "featureName", events.data, events.pre_data as "preData", events.tags,
  events.group_id as "groupId", events.ip`;

/**
 * Inserts events in the order in which they were recorded; the first part of the statement of `change()`. Features are looked up
 * one by one: with a join the planner read all of them (1.5 ms at 10,000) for the one or two features of a change.
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
  return sql`
    insert into events (group_id, created_by, created_by_user_id, created_by_kind, ip,
      type, project, environment, feature_name, data, pre_data, tags)
    select ${groupId}, ${actor.name}, ${actor.userId}::integer, ${actor.kind}, ${actor.ip},
      type, project, environment, feature_name, data, pre_data, coalesce(recorded.tags, ${tagsOf(sql`recorded.feature_name`)})
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
      type text, project text, environment text, feature_name text, data jsonb, pre_data jsonb, tags jsonb
    )) with ordinality as recorded
    order by recorded.ordinality
    returning id, created_at, type, project, environment, feature_name, created_by_user_id,
      case when type = 'integration-tested' then data ->> 'id' end as tested`;
}

/** Remembers who wrote events in which project, so that listing creators does not read the log. */
export const CREATORS_OF_WRITTEN = sql`
  creators as (
    insert into event_creators (user_id, project)
    select distinct created_by_user_id, project from written
    on conflict do nothing
  )`;

/** The page and the total of a search. One statement reads both from one snapshot. */
export async function searchEvents(
  db: Reader,
  actor: Actor,
  search: EventSearch,
): Promise<{ events: EventRow[]; total: number }> {
  const { rows } = await sql<OuterJoined<EventRow> & { total: number }>`
    with ${pageAndTotal(search, visibleParts(actor, search))}
    select counted.total, found.*
    from counted left join (select ${EVENT_COLUMNS} from page join events using (id)) as found on true
    order by found.id desc`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    // An empty page has one row that contains only the total.
    events: rows.filter(row => row.id !== null).map(({ total: _, ...event }) => event),
  };
}

/** A condition: an event without a project that the actor caused. */
const isOwn = (actor: Actor) => sql<SqlBool>`(project is null and created_by_user_id = ${actor.userId})`;

/** A condition: the actor can read the event. */
const isVisible = (actor: Actor) =>
  actor.isAdmin ? ofReadableProject(actor) : sql<SqlBool>`(${ofReadableProject(actor)} or ${isOwn(actor)})`;

/**
 * The conditions of a search as disjoint parts: events of readable projects, and own events without a project. Each part has its own
 * plan. Joined by `or`, the total was not an index-only count and read every page of a table of 1 million events.
 */
function visibleParts(actor: Actor, search: EventSearch): Expression<unknown>[] {
  const all = conditions(search);
  const canBeOwn = !actor.isAdmin && search.project === undefined;
  return [ofReadableProject(actor), ...(canBeOwn ? [isOwn(actor)] : [])].map(part =>
    sql.join([part, ...all], sql` and `),
  );
}

function pageAndTotal(search: EventSearch, parts: Expression<unknown>[]) {
  const slice = sql`limit ${search.limit} offset ${search.offset}`;
  const together = (selects: Expression<unknown>[]) => sql.join(selects, sql` union all `);
  // Text: the exact total must look at every match anyway, so the page is cut from the same single pass.
  if (search.query) {
    return sql`
      matching as materialized (${together(parts.map(part => sql`select id from events where ${part}`))}),
      counted as (select count(*) as total from matching),
      page as materialized (select id from matching order by id desc ${slice})`;
  }
  const newest = (part: Expression<unknown>) =>
    sql`(select id from events where ${part} order by ${order(search)} desc limit ${search.limit + search.offset})`;
  return sql`
    counted as (
      select sum(part)::bigint as total from (${together(parts.map(part => sql`select count(*) as part from events where ${part}`))}) as counts
    ),
    page as materialized (select id from (${together(parts.map(newest))}) as newest order by id desc ${slice})`;
}

/**
 * With days, ordering by the bare id makes the planner walk back from the newest event through everything younger than
 * the days asked for: 7.4 s of CPU for a month at 10 million, 620 ms for a month of one project at 1 million. id + 0 has
 * no index, so it reads what matches, as the total does (80 ms), and sorts it.
 */
function order({ from, to }: EventSearch) {
  return (from ?? to) === undefined ? sql`id` : sql`id + 0`;
}

function conditions(search: EventSearch): Expression<SqlBool>[] {
  // One value is written as equality: only then does the index on (column, id) give the page in order. With any() the
  // planner walked back through all newer events instead, 567 ms for a project that had been silent for long.
  const any = (column: string, values: unknown[] | undefined) =>
    values &&
    (values.length === 1
      ? sql<SqlBool>`${sql.ref(column)} = ${values[0]}`
      : sql<SqlBool>`${sql.ref(column)} = any(${values})`);
  return [
    any('feature_name', search.feature),
    any('project', search.project),
    any('type', search.type),
    any('created_by_user_id', search.createdBy),
    any('environment', search.environment),
    any('id', search.id),
    any('group_id', search.groupId),
    search.from && sql<SqlBool>`created_at >= ${search.from}::timestamp at time zone 'UTC'`,
    search.to && sql<SqlBool>`created_at < (${search.to}::date + 1)::timestamp at time zone 'UTC'`,
    search.query && containsText(search.query),
  ].filter(condition => condition !== undefined && condition !== '');
}

/**
 * Whether the JSON text of an event contains the text as typed or as JSON writes it, so that `say "hello"` is found as a
 * person sees it. JSON.stringify escapes what PostgreSQL escapes in jsonb, in the same form. JSON has no raw control
 * characters: one in the typed form would only match the line feeds between the columns.
 */
function containsText(text: string): Expression<SqlBool> {
  const escaped = JSON.stringify(text).slice(1, -1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const typed = escaped === text || /[\u0000-\u001f]/.test(text) ? [] : [text];
  const matches = [escaped, ...typed].map(
    form => sql<SqlBool>`event_text(data, pre_data, tags) ilike ${likeText(form)}`,
  );
  return sql`(${sql.join(matches, sql` or `)})`;
}

export async function findEvent(db: Reader, actor: Actor, id: number): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS} from events where id = ${id} and ${isVisible(actor)}`.execute(db);
  return rows[0];
}

export async function listEventsBetween(
  db: Reader,
  after: number,
  upTo: number,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS} from events where id > ${after} and id <= ${upTo} order by id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Those who made the events the caller may see. */
export async function listEventCreators(db: Reader, actor: Actor): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select creator.id, ${nameOfUser(sql`creator.id`)} as name
    from (
      select distinct user_id as id from event_creators
      where ${ofReadableProject(actor)} or (project is null and user_id = ${actor.userId})
    ) as creator
    order by name, creator.id`.execute(db);
  return rows;
}
