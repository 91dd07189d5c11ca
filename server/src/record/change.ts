import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type Publication, registeredWriters } from './change-writers.ts';
import { commentRequiredError, lacksComment } from './comment.ts';
import { INSERT_CREATORS, insertEvents, type NewEvent } from './events/store.ts';
import { settleRequest } from './idempotency/settle.ts';
import { requireChangeInScope } from './scope-limits.ts';
import { notifyServers } from './wake.ts';

export type { NewEvent };

/** An open change. Operations take it as their first argument, so that several of them can form one change. */
export type Change = {
  tx: Tx;
  actor: Actor;
  record: (event: NewEvent) => void;
  /** Notifies the servers that listen on the channel, after the commit. */
  notify: (channel: string) => void;
};

const EVENTS_PER_STATEMENT = 2_000;

/**
 * Opens a change, in which the work and its events commit together or not at all. All events of one change share a groupId. Work
 * that records no event must not change anything that others can see. Routes, jobs and scripts open changes, but operations never
 * do.
 */
export async function change<T>(db: Db, actor: Actor, work: (current: Change) => Promise<T>): Promise<T>;
/**
 * Reads the response with `respond` after the events are written and before the commit. A response can therefore show what events
 * write, such as collaborators, and once a change is committed, its response cannot fail.
 */
export async function change<T, R>(
  db: Db,
  actor: Actor,
  work: (current: Change) => Promise<T>,
  respond: (tx: Tx, result: T) => Promise<R>,
): Promise<R>;
export async function change<T>(
  db: Db,
  actor: Actor,
  work: (current: Change) => Promise<T>,
  respond: (tx: Tx, result: T) => Promise<unknown> = async (_, result) => result,
): Promise<unknown> {
  let publication: Publication | undefined;
  let newestEvents: NewestEvents = new Map();
  const channels = new Set<string>();
  const response = await db.transaction().execute(async tx => {
    const events: NewEvent[] = [];
    const result = await work({
      tx,
      actor,
      record: event => events.push(event),
      notify: channel => channels.add(channel),
    });
    if (events.length === 0) return await respond(tx, result);
    // The token is locked late, just before the deliveries, so that deleting the token does not wait for the change's other locks.
    await requireChangeInScope(tx, actor, events);
    const groupId = randomUUID();
    newestEvents = await writeEvents(tx, actor, groupId, events, channels);
    await settleRequest(tx, actor);
    const output = await respond(tx, result);
    publication = await registeredWriters().publish(tx, groupId);
    if (publication.channel !== undefined) channels.add(publication.channel);
    return output;
  });
  for (const { environment, revision } of publication?.revisions ?? [])
    actor.revisions?.set(environment, revision);
  for (const [environment, id] of newestEvents) actor.events?.set(environment, id);
  for (const channel of channels) notifyServers(db, channel);
  return response;
}

/** The id of the newest event for each environment. The empty string is the key of the newest event without an environment. */
type NewestEvents = Map<string, number>;

/**
 * Writes the events and adds the channels to notify. One statement is usually enough, but deleting a tag that 50,000 features have
 * records 50,000 events, and a statement may run for only 15 s.
 */
async function writeEvents(
  tx: Tx,
  actor: Actor,
  groupId: string,
  events: NewEvent[],
  channels: Set<string>,
): Promise<NewestEvents> {
  const { events: writers, requiringComment } = registeredWriters();
  const expressions = [INSERT_CREATORS, ...writers.map(writer => writer.expressions)];
  const channelCases = writers
    .flatMap(({ notifies }) => notifies ?? [])
    .map(({ channel, when }) => sql`case when ${when} then ${sql.lit(channel)} end`);
  const newestEvents: NewestEvents = new Map();
  for (let start = 0; start < events.length; start += EVENTS_PER_STATEMENT) {
    const written = insertEvents(actor, groupId, events.slice(start, start + EVENTS_PER_STATEMENT));
    const { rows } = await sql<WrittenRow>`
      with written as (${written}), ${sql.join(expressions)}
      select channel, null as "rejectedBy", null as environment, null::bigint as id
      from unnest(array[${sql.join(channelCases)}]::text[]) as channel where channel is not null
      ${actor.events ? sql`union all select null, null, coalesce(environment, ''), max(id) from written group by 3` : sql``}
      ${lacksComment(actor) ? sql`union all select null, ${requiringComment}, null, null` : sql``}`.execute(
      tx,
    );
    for (const { channel, rejectedBy, environment, id } of rows) {
      if (rejectedBy !== null) throw commentRequiredError(rejectedBy);
      if (channel !== null) channels.add(channel);
      if (environment !== null) newestEvents.set(environment, Number(id));
    }
  }
  return newestEvents;
}

type WrittenRow = {
  channel: string | null;
  rejectedBy: string | null;
  environment: string | null;
  id: number | null;
};
