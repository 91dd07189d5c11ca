import { makeBusyCheck } from '@halyard/plane/platform/admission/busy.ts';
import type { Admission } from '@halyard/plane/platform/admission/metrics.ts';
import {
  type Holder,
  makeShares,
  type Release,
  type ShareLimits,
  type Shares,
} from '@halyard/plane/platform/admission/shares.ts';
import type { AdmittedRequest } from '@halyard/plane/platform/admission/visit.ts';
import { ApiError } from '@halyard/plane/platform/errors.ts';
import type { FastifyReply } from 'fastify';
import type { Db } from '../../db/database.ts';
import { type Pieces, type SendOptions, sendPieces } from '../output/stream.ts';

/**
 * The caller of a long read, with its request if there is one. A request releases its short-request slot and keeps its long-read
 * slot until its response is sent, because the response is in memory until then.
 */
export type LongReader = { caller: string; visit?: AdmittedRequest };

/**
 * Reads that may take a long time or return a lot of data, such as whole lists, reports and text searches. They have separate
 * database connections, of which each caller has a share, so that other requests never wait for long reads.
 */
export type LongReads = {
  run: <T>(reader: LongReader, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Runs a text search, which consists of many short statements, on connections that no other read holds for long. */
  runSearch: <T>(reader: LongReader, read: (db: Db) => Promise<T>) => Promise<T>;
  /** Streams the rows. The slot is released when the response is sent or aborted. */
  send: (reply: FastifyReply, read: (db: Db) => Pieces) => Promise<FastifyReply>;
  /**
   * Streams a response of any size. It occupies a long-read slot and a connection only during a read, not while the client reads.
   */
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

/** Connections reserved for long reads. */
export const LONG_READ_CONNECTIONS = 3;
/** Connections in the pool for text searches. */
export const SEARCH_CONNECTIONS = 2;
/** How long a long read waits for a slot, and then for a connection. */
export const LONG_READ_WAIT_MS = 10_000;

/**
 * There are more slots than connections, because a response whose rows are all read needs no connection while the client reads it.
 * Each caller gets one at a time, because one long read can keep one of PostgreSQL's cores busy.
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
 * Searches take turns on their connections, statement by statement. A search that the index alone can answer is therefore fast even
 * while others check many events, and many searches can run at a time.
 */
const SEARCH_SLOTS: ShareLimits = { ...SLOTS, capacity: 20, share: 0.1 };

/** One caller gets two at a time, because an export waits for its client most of the time. */
const EXPORT_SLOTS: ShareLimits = { ...SLOTS, share: 0.4 };

/** Sending 10 million events of 1 kB within an hour takes 3 MB/s. */
const EXPORT_TIMEOUT_MS = 3_600_000;
/** One batch is enough. An export needs no connection while the client reads, so reading further ahead would only take memory. */
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
        sentWithinMs: EXPORT_TIMEOUT_MS,
        readAheadBytes: EXPORT_READ_AHEAD_BYTES,
      });
    },
  };
}

/**
 * Acquires a slot. The short-request slot is released before the wait, so that a caller's long reads do not delay its short
 * requests.
 */
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
