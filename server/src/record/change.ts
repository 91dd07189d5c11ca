import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { type Publication, registeredWriters } from './change-writers.ts';
import { commentRequired, isSilent } from './comment.ts';
import { CREATORS_OF_WRITTEN, insertEvents, type NewEvent } from './events/store.ts';
import { settleRequest } from './idempotency/settle.ts';
import { keepWithinScope } from './scope-limits.ts';
import { wakeServers } from './wake.ts';

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
 * Opens a change: the work and its events commit together or not at all. All events of one change share a groupId. Work that
 * records nothing must have changed nothing that anybody else sees. Routes, jobs and scripts open changes; operations never do.
 */
export async function change<T>(db: Db, actor: Actor, work: (current: Change) => Promise<T>): Promise<T>;
/**
 * Reads the response with `respond` after the events are written and before the commit. A response can thus show what events
 * write, such as collaborators, and a committed change never fails to respond.
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
  let published: Publication | undefined;
  let newest: Newest = new Map();
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
    // The lock on the token is the last one before those of the deliveries, so that deleting the token does not wait for a
    // change's other locks.
    await keepWithinScope(tx, actor, events);
    const groupId = randomUUID();
    newest = await writeEvents(tx, actor, groupId, events, channels);
    await settleRequest(tx, actor);
    const responding = await respond(tx, result);
    published = await registeredWriters().publish(tx, groupId);
    if (published.channel !== undefined) channels.add(published.channel);
    return responding;
  });
  for (const { environment, revision } of published?.revisions ?? [])
    actor.revisions?.set(environment, revision);
  for (const [environment, id] of newest) actor.events?.set(environment, id);
  for (const channel of channels) wakeServers(db, channel);
  return response;
}

/** The newest event about each environment; about none: the empty string. */
type Newest = Map<string, number>;

/**
 * Usually one statement. Deleting a tag of 50,000 features records 50,000 events, and a statement may run for 15 s. Adds the
 * channels to notify.
 */
async function writeEvents(
  tx: Tx,
  actor: Actor,
  groupId: string,
  events: NewEvent[],
  channels: Set<string>,
): Promise<Newest> {
  const { events: writers, requiringComment } = registeredWriters();
  const expressions = [CREATORS_OF_WRITTEN, ...writers.map(writer => writer.expressions)];
  const notified = writers
    .flatMap(({ notifies }) => notifies ?? [])
    .map(({ channel, when }) => sql`case when ${when} then ${sql.lit(channel)} end`);
  const newest: Newest = new Map();
  for (let first = 0; first < events.length; first += EVENTS_PER_STATEMENT) {
    const written = insertEvents(actor, groupId, events.slice(first, first + EVENTS_PER_STATEMENT));
    const { rows } = await sql<Written>`
      with written as (${written}), ${sql.join(expressions)}
      select channel, null as "rejectedBy", null as environment, null::bigint as id
      from unnest(array[${sql.join(notified)}]::text[]) as channel where channel is not null
      ${actor.events ? sql`union all select null, null, coalesce(environment, ''), max(id) from written group by 3` : sql``}
      ${isSilent(actor) ? sql`union all select null, ${requiringComment}, null, null` : sql``}`.execute(tx);
    for (const { channel, rejectedBy, environment, id } of rows) {
      if (rejectedBy !== null) throw commentRequired(rejectedBy);
      if (channel !== null) channels.add(channel);
      if (environment !== null) newest.set(environment, Number(id));
    }
  }
  return newest;
}

type Written = {
  channel: string | null;
  rejectedBy: string | null;
  environment: string | null;
  id: number | null;
};
