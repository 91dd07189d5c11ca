import type { FastifyReply } from 'fastify';
import type { Db } from '../db/database.ts';
import { makeSlots } from './slots.ts';
import { type Pieces, sendPieces } from './stream.ts';

/**
 * Reads that may take long or return much: whole lists, reports, free text. They have database connections of their own,
 * and each caller has a share of them, so that other requests never wait for them.
 */
export type LongReads = {
  run: <T>(caller: string, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Streams the rows. The slot is released when the response is sent or aborted. */
  send: (reply: FastifyReply, caller: string, read: (db: Db) => Pieces) => Promise<FastifyReply>;
};

/** Connections of the pool that long reads have for themselves. */
export const LONG_READ_CONNECTIONS = 3;
/** How long a long read waits for a slot, and then for a connection. */
export const LONG_READ_WAIT_MS = 10_000;

/** More slots than connections: a response whose rows are all read needs no connection while the client reads it. */
const SLOTS = { running: 6, runningPerCaller: 2, waitingPerCaller: 20, waitMs: LONG_READ_WAIT_MS };

export function makeLongReads(db: Db): LongReads {
  const slots = makeSlots(SLOTS);
  return {
    run: async (caller, read) => {
      const release = await slots.take(caller);
      try {
        return await read(db);
      } finally {
        release();
      }
    },
    send: async (reply, caller, read) => {
      const release = await slots.take(caller);
      try {
        return await sendPieces(reply, read(db), release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
