import { randomUUID } from 'node:crypto';
import type { Actor } from './actor.ts';
import type { Db, Tx } from './db/database.ts';
import { ApiError } from './errors.ts';
import type { EventType } from './events/event-types.ts';
import { insertEvents } from './events/store.ts';
import { settleClaim } from './idempotency/store.ts';

/** What happened, told by the operation that made it happen. */
export type NewEvent = {
  type: EventType;
  project?: string | null;
  environment?: string | null;
  featureName?: string | null;
  data?: object | null;
  preData?: object | null;
  tags?: { type: string; value: string }[];
};

export type Change = { tx: Tx; record: (event: NewEvent) => void };

const EVENTS_AT_ONCE = 2_000;

/**
 * The one door for writes: the work and the events that tell of it commit together or not at all.
 * All events of one change share a groupId. Work that records nothing must have changed nothing.
 */
export async function change<T>(db: Db, actor: Actor, work: (change: Change) => Promise<T>): Promise<T>;
/**
 * The same for work whose response shows what events write, such as who worked on a feature. `respond` runs after the events
 * are written and before the commit, so that a change that was committed is never answered with the failure of a read.
 */
export async function change<T, R>(
  db: Db,
  actor: Actor,
  work: (change: Change) => Promise<T>,
  respond: (tx: Tx, result: T) => Promise<R>,
): Promise<R>;
export async function change<T>(
  db: Db,
  actor: Actor,
  work: (change: Change) => Promise<T>,
  respond: (tx: Tx, result: T) => Promise<unknown> = async (_, result) => result,
): Promise<unknown> {
  return await db.transaction().execute(async tx => {
    const events: NewEvent[] = [];
    const result = await work({ tx, record: event => events.push(event) });
    if (events.length > 0) {
      await writeEvents(tx, actor, events);
      if (actor.claim && !(await settleClaim(tx, actor.claim))) throw takenOver();
    }
    return await respond(tx, result);
  });
}

/** Mostly one statement. To delete a tag of 50,000 features is as many events, and a statement has 15 s. */
async function writeEvents(tx: Tx, actor: Actor, events: NewEvent[]): Promise<void> {
  const groupId = randomUUID();
  for (let first = 0; first < events.length; first += EVENTS_AT_ONCE) {
    await insertEvents(tx, actor, groupId, events.slice(first, first + EVENTS_AT_ONCE));
  }
}

const takenOver = (): ApiError =>
  new ApiError(
    'ConflictError',
    'This took so long that a repetition with the same Idempotency-Key took over.',
  );
