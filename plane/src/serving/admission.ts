import { type Holder, makeShares, type ShareLimits, type Shares } from '../platform/admission/shares.ts';
import { ApiError, tooManyRequests } from '../platform/errors.ts';

const MIB = 1_024 * 1_024;

/** Bytes of request bodies. A parsed body takes up to ten times as much memory, so this is 160 MB at most. */
const BODY_BYTES: ShareLimits = {
  capacity: 16 * MIB,
  share: 0.6,
  waiting: 5_000,
  waitingPerCaller: 1_000,
  waitMs: 5_000,
};

/** Bytes of evaluated flags that clients have not read. */
const UNREAD_BYTES = 64 * MIB;

/** The share of all streams (from SDKs and pages together) that one token may have. */
const STREAM_SHARE_PER_TOKEN = 0.8;
/** The share of all streams that the pages with one token in one network may have. */
const STREAM_SHARE_PER_NETWORK = 0.5;

/** The resources that callers of the SDK APIs share. */
export type SdkAdmission = {
  /** Bytes of request bodies in memory, compressed and inflated. */
  bodies: Shares;
  /** Bytes of evaluated flags that clients have not read. */
  unread: Shares;
  /** Streams of SDKs and of pages that use OpenFeature, by token. */
  streams: Shares;
  /** Streams of pages, by token and network, because all visitors to a page have the same token. */
  pageStreams: Shares;
};

const withoutQueue = (capacity: number, share: number): ShareLimits => ({
  capacity,
  share,
  waiting: 0,
  waitingPerCaller: 0,
  waitMs: 0,
});

export const makeSdkAdmission = (streams: number): SdkAdmission => ({
  bodies: makeShares(BODY_BYTES, holder => busyError(holder, 'request bodies')),
  unread: makeShares(withoutQueue(UNREAD_BYTES, 0.6), holder => busyError(holder, 'unread responses')),
  streams: makeShares(withoutQueue(streams, STREAM_SHARE_PER_TOKEN), holder => busyError(holder, 'streams')),
  pageStreams: makeShares(withoutQueue(streams, STREAM_SHARE_PER_NETWORK), holder =>
    busyError(holder, 'streams'),
  ),
});

const RETRY_AFTER_SECONDS = 2;

/** Returns 429 if the caller has used up its own share, and 503 if others hold the rest. SDKs retry after both. */
export const busyError = (holder: Holder, resource: string): ApiError =>
  holder === 'caller'
    ? tooManyRequests(
        `Too many ${resource} at a time from this token and network. Send fewer, and retry after the time in Retry-After.`,
        RETRY_AFTER_SECONDS,
      )
    : new ApiError(
        'ServiceUnavailableError',
        `The server is busy with ${resource} from other callers. Retry after the time in Retry-After.`,
        { retryAfter: RETRY_AFTER_SECONDS },
      );
