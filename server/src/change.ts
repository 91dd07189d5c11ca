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

/**
 * The one door for writes: the work and the events that tell of it commit together or not at all.
 * All events of one change share a groupId. Work that records nothing must have changed nothing.
 */
export async function change<T>(db: Db, actor: Actor, work: (change: Change) => Promise<T>): Promise<T> {
  return await db.transaction().execute(async tx => {
    const events: NewEvent[] = [];
    const result = await work({ tx, record: event => events.push(event) });
    if (events.length > 0) {
      await insertEvents(tx, actor, randomUUID(), events);
      if (actor.claim && !(await settleClaim(tx, actor.claim))) throw takenOver();
    }
    return result;
  });
}

const takenOver = (): ApiError =>
  new ApiError(
    'ConflictError',
    'This took so long that a repetition with the same Idempotency-Key took over.',
  );
