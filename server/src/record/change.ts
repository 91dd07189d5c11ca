import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { COLLABORATORS_OF_WRITTEN } from './collaborators.ts';
import { CREATORS_OF_WRITTEN, insertEvents, type NewEvent } from './events/store.ts';
import { settleRequest } from './idempotency/settle.ts';
import { DELIVERIES_OF_WRITTEN, WAKE_CHANNEL } from './outbox.ts';
import { type Publication, publishDocuments, SDK_CHANNEL } from './publish.ts';
import { wakeServers } from './wake.ts';

export type { NewEvent };

/** An open change. Operations take it as their first argument, so that several of them can form one change. */
export type Change = {
  tx: Tx;
  actor: Actor;
  record: (event: NewEvent) => void;
  /** Wakes the dispatchers after the commit. An operation that queues deliveries itself calls it. */
  wakeDispatchers: () => void;
};

/**
 * The writers that are part of the statement that inserts events. Each one is a list of common table expressions that read
 * `written`, the inserted events, so all of them together cost one round trip.
 */
const WRITERS = [COLLABORATORS_OF_WRITTEN, CREATORS_OF_WRITTEN, DELIVERIES_OF_WRITTEN];

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
  let isQueued = false;
  const response = await db.transaction().execute(async tx => {
    const events: NewEvent[] = [];
    const result = await work({
      tx,
      actor,
      record: event => events.push(event),
      wakeDispatchers: () => {
        isQueued = true;
      },
    });
    if (events.length === 0) return await respond(tx, result);
    if (await writeEvents(tx, actor, events)) isQueued = true;
    await settleRequest(tx, actor);
    const responding = await respond(tx, result);
    published = await publishDocuments(tx);
    return responding;
  });
  for (const { environment, revision } of published?.revisions ?? [])
    actor.revisions?.set(environment, revision);
  if (published?.isNew) wakeServers(db, SDK_CHANNEL);
  if (isQueued) wakeServers(db, WAKE_CHANNEL);
  return response;
}

/**
 * Usually one statement. Deleting a tag of 50,000 features records 50,000 events, and a statement may run for 15 s. Returns whether
 * there are deliveries.
 */
async function writeEvents(tx: Tx, actor: Actor, events: NewEvent[]): Promise<boolean> {
  const groupId = randomUUID();
  let isQueued = false;
  for (let first = 0; first < events.length; first += EVENTS_PER_STATEMENT) {
    const written = insertEvents(actor, groupId, events.slice(first, first + EVENTS_PER_STATEMENT));
    const { rows } = await sql<{ isQueued: boolean }>`
      with written as (${written}), ${sql.join(WRITERS)}
      select exists (select from queued) as "isQueued"`.execute(tx);
    isQueued ||= rows[0]?.isQueued === true;
  }
  return isQueued;
}
