import type { FastifyReply } from 'fastify';
import { makeBusyCheck } from '../../../../../plane/src/platform/admission/busy.ts';
import type { Admission } from '../../../../../plane/src/platform/admission/metrics.ts';
import {
  type Holder,
  makeShares,
  type Release,
  type ShareLimits,
  type Shares,
} from '../../../../../plane/src/platform/admission/shares.ts';
import type { Visit } from '../../../../../plane/src/platform/admission/visit.ts';
import { ApiError } from '../../../../../plane/src/platform/errors.ts';
import type { Db } from '../../db/database.ts';
import { type Pieces, type SendOptions, sendPieces } from '../output/stream.ts';

/**
 * Who a long read is for: a request, or a caller without one. A request gives up its slot among the short ones, and keeps its
 * slot until its response is sent, because the response is in memory until then.
 */
export type LongReader = { caller: string; visit?: Visit };

/**
 * Reads that may take long or return much: whole lists, reports, free text. They have separate database connections, and each
 * caller has a share of them, so that other requests never wait for them.
 */
export type LongReads = {
  run: <T>(reader: LongReader, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Runs a search by text: many short statements, on connections that no other read occupies for long. */
  runSearch: <T>(reader: LongReader, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Streams the rows. The slot is released when the response is sent or aborted. */
  send: (reply: FastifyReply, read: (db: Db) => Pieces) => Promise<FastifyReply>;
  /** Streams a response of any size. It has a slot and a connection only during a read, not while the client reads. */
  sendExport: (
    reply: FastifyReply,
    make: (source: ExportSource) => Pieces,
    options: Pick<SendOptions, 'contentType' | 'fileName'>,
  ) => Promise<FastifyReply>;
};

export type ExportSource = {
  /** Runs one read of the export. */
  read: <T>(read: (db: Db) => Promise<T>) => Promise<T>;
  /** Whether the client disconnected. A long scan without a match would otherwise not notice. */
  isGone: () => boolean;
};

/** Connections that are reserved for long reads. */
export const LONG_READ_CONNECTIONS = 3;
/** Connections of the pool for searches by text. */
export const SEARCH_CONNECTIONS = 2;
/** How long a long read waits for a slot, and then for a connection. */
export const LONG_READ_WAIT_MS = 10_000;

/**
 * More slots than connections: a response whose rows are all read needs no connection while the client reads it. Each caller gets
 * one at a time, because one long read can keep a core of PostgreSQL busy.
 */
const SLOTS: ShareLimits = {
  capacity: 6,
  share: 0.3,
  waiting: 500,
  waitingPerCaller: 20,
  waitMs: LONG_READ_WAIT_MS,
  rejectAfterMs: 1_000,
};

/**
 * Searches share their connections in turn, statement by statement. So a search that the index decides is fast while others check
 * many events, and many searches can run at a time.
 */
const SEARCH_SLOTS: ShareLimits = { ...SLOTS, capacity: 20, share: 0.1 };

/** Two at a time for one caller: most of the time, an export waits for its client. */
const EXPORT_SLOTS: ShareLimits = { ...SLOTS, share: 0.4 };

/** 10 million events of 1 kB in an hour are 3 MB/s. */
const EXPORT_WITHIN_MS = 3_600_000;
/** One batch: an export needs no connection while the client reads, so more read ahead would only take memory. */
const EXPORT_READ_AHEAD_BYTES = 1_048_576;

export function makeLongReads(
  db: Db,
  searchDb = db,
  admission: Admission = new Map(),
  limits: Partial<ShareLimits> = {},
): LongReads {
  const isBusy = makeBusyCheck();
  const slots = makeShares({ ...SLOTS, isBusy, ...limits }, rejection);
  // An export lasts as long as its client reads, so it must not occupy a slot of the other long reads.
  const exportSlots = makeShares({ ...EXPORT_SLOTS, ...limits }, rejection);
  const searchSlots = makeShares({ ...SEARCH_SLOTS, isBusy, ...limits }, rejection);
  admission.set('long-reads', slots).set('exports', exportSlots).set('searches', searchSlots);

  const runWith =
    (slots: Shares, db: Db): LongReads['run'] =>
    async (reader, read) => {
      const release = await acquire(slots, reader);
      try {
        return await read(db);
      } finally {
        if (reader.visit) reader.visit.hold(release);
        else release();
      }
    };
  const run = runWith(slots, db);

  const sendWith = async (
    slots: Shares,
    reply: FastifyReply,
    make: () => Pieces,
    options: SendOptions = {},
  ): Promise<FastifyReply> => {
    const release = await acquire(slots, reply.request);
    try {
      return await sendPieces(reply, make(), { ...options, onClose: release });
    } catch (error) {
      release();
      throw error;
    }
  };

  return {
    run,
    runSearch: runWith(searchSlots, searchDb),
    send: async (reply, read) => await sendWith(slots, reply, () => read(db)),
    sendExport: async (reply, make, options) => {
      const { caller, visit } = reply.request;
      const source: ExportSource = { read: read => run({ caller }, read), isGone: visit.isGone };
      return await sendWith(exportSlots, reply, () => make(source), {
        ...options,
        sentWithinMs: EXPORT_WITHIN_MS,
        readAheadBytes: EXPORT_READ_AHEAD_BYTES,
      });
    },
  };
}

/** The slot among the short requests is released before the wait, so that a caller's long reads do not delay its short ones. */
async function acquire(slots: Shares, { caller, visit }: LongReader): Promise<Release> {
  visit?.releaseSlot();
  return await slots.acquire(caller, visit && { isGone: visit.isGone });
}

const RETRY_AFTER_SECONDS = 5;

const rejection = (holder: Holder): ApiError =>
  new ApiError(
    'ServiceUnavailableError',
    holder === 'caller'
      ? 'You have too many large reads running at a time. Send fewer, and retry after the time in Retry-After.'
      : 'The server is busy with large reads from other callers. Retry after the time in Retry-After.',
    { retryAfter: RETRY_AFTER_SECONDS },
  );
