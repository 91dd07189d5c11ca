import type { FastifyReply } from 'fastify';
import type { Db } from '../db/database.ts';
import { makeSlots, type Slots } from './slots.ts';
import { type Pieces, type SendOptions, sendPieces } from './stream.ts';

/**
 * Reads that may take long or return much: whole lists, reports, free text. They have database connections of their own,
 * and each caller has a share of them, so that other requests never wait for them.
 */
export type LongReads = {
  run: <T>(caller: string, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Runs a search by text: many short statements, on connections that no other read occupies for long. */
  runSearch: <T>(caller: string, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Streams the rows. The slot is released when the response is sent or aborted. */
  send: (reply: FastifyReply, caller: string, read: (db: Db) => Pieces) => Promise<FastifyReply>;
  /** Streams a response of any size. It has a slot and a connection only during a read, not while the client reads. */
  sendExport: (
    reply: FastifyReply,
    caller: string,
    make: (source: ExportSource) => Pieces,
    options: Pick<SendOptions, 'contentType' | 'fileName'>,
  ) => Promise<FastifyReply>;
};

export type ExportSource = {
  /** Runs one read of the export. */
  read: <T>(read: (db: Db) => Promise<T>) => Promise<T>;
  /** Whether the client went away. A long walk without a match would not notice it otherwise. */
  isGone: () => boolean;
};

/** Connections of the pool that long reads have for themselves. */
export const LONG_READ_CONNECTIONS = 3;
/** Connections of the pool for searches by text. */
export const SEARCH_CONNECTIONS = 2;
/** How long a long read waits for a slot, and then for a connection. */
export const LONG_READ_WAIT_MS = 10_000;

/** More slots than connections: a response whose rows are all read needs no connection while the client reads it. */
const SLOTS = { running: 6, runningPerCaller: 2, waitingPerCaller: 20, waitMs: LONG_READ_WAIT_MS };

/**
 * Searches share their connections in turn, statement by statement. So a search that the index decides is fast while others check
 * many events, and many searches can run at once.
 */
const SEARCH_SLOTS = { ...SLOTS, running: 20 };

/** 10 million events of 1 kB in an hour are 3 MB/s. */
const EXPORT_WITHIN_MS = 3_600_000;
/** One batch: an export needs no connection while the client reads, so more read ahead would only take memory. */
const EXPORT_READ_AHEAD_BYTES = 1_048_576;

export function makeLongReads(db: Db, searchDb = db): LongReads {
  const slots = makeSlots(SLOTS);
  // An export lasts as long as its client reads, so it must not occupy a slot of the other long reads.
  const exportSlots = makeSlots(SLOTS);
  const searchSlots = makeSlots(SEARCH_SLOTS);
  const runWith =
    ({ take }: Slots, db: Db): LongReads['run'] =>
    async (caller, read) => {
      const release = await take(caller);
      try {
        return await read(db);
      } finally {
        release();
      }
    };
  const run = runWith(slots, db);
  return {
    run,
    runSearch: runWith(searchSlots, searchDb),
    send: async (reply, caller, read) => {
      const release = await slots.take(caller);
      try {
        return await sendPieces(reply, read(db), { onClose: release });
      } catch (error) {
        release();
        throw error;
      }
    },
    sendExport: async (reply, caller, make, options) => {
      const release = await exportSlots.take(caller);
      const source: ExportSource = { read: read => run(caller, read), isGone: () => reply.raw.destroyed };
      try {
        return await sendPieces(reply, make(source), {
          ...options,
          onClose: release,
          sentWithinMs: EXPORT_WITHIN_MS,
          readAheadBytes: EXPORT_READ_AHEAD_BYTES,
        });
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
