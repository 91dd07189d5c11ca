import { makeShares, type Shares } from '@halyard/plane/platform/admission/shares.ts';
import { ApiError, tooManyRequests } from '@halyard/plane/platform/errors.ts';

export type StreamLimits = { perCaller: number; perServer: number };

export const STREAM_LIMITS: StreamLimits = { perCaller: 50, perServer: 1_000 };

const RETRY_AFTER_SECONDS = 10;

/** Creates the stream slots of this server. A stream holds a slot until it ends. */
export const makeStreamSlots = ({ perCaller, perServer }: StreamLimits): Shares =>
  makeShares(
    { capacity: perServer, share: 1, perCaller, waiting: 0, waitingPerCaller: 0, waitMs: 0 },
    holder =>
      holder === 'caller'
        ? tooManyRequests(
            `Too many event streams: a caller can have at most ${perCaller} open on this server. Close one, or retry in ${RETRY_AFTER_SECONDS} seconds.`,
            RETRY_AFTER_SECONDS,
          )
        : new ApiError(
            'ServiceUnavailableError',
            `Too many event streams: this server can have at most ${perServer.toLocaleString('en')} open. Retry in ${RETRY_AFTER_SECONDS} seconds, or connect to a different server.`,
            { retryAfter: RETRY_AFTER_SECONDS },
          ),
  );
