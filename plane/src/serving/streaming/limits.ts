export type StreamLimits = {
  /** The maximum number of streams per process. A client that gets no slot polls. */
  streams: number;
  /** Bytes that the process may buffer for one client. A client that falls further behind is cut off, and resumes by id. */
  bufferedBytes: number;
  /** A larger frame waits for its turn, because a few megabytes for each of 10,000 clients would exhaust the machine's memory. */
  largeFrameBytes: number;
  /** Bytes of large frames that may be in flight at the same time. */
  largeBytesInFlight: number;
  /** Hydrations per client, by its connection id. A client hydrates once, and again only if it lost its flags. */
  hydrationsPerClient: Rate;
  /** Hydrations per minute for all clients of one token. When a fleet starts, each stream gets one hydration without waiting. */
  hydrationsPerTokenAndMinute: number;
  /** The minimum time before a rejected client is invited to stream again. */
  invitedAfterMs: number;
  /** A client that reads nothing of a large frame for this long is disconnected, so that others do not wait for it. */
  stalledAfterMs: number;
  /** Every stream gets a comment at least this often. */
  commentsEveryMs: number;
};

/** The size of a burst, and the average rate per minute. */
type Rate = { burst: number; perMinute: number };

const MB = 1_024 * 1_024;

export const STREAM_LIMITS: StreamLimits = {
  streams: 20_000,
  bufferedBytes: MB,
  largeFrameBytes: MB / 4,
  largeBytesInFlight: 64 * MB,
  // A client that reads nothing is cut off after 10 s and returns 2 s later, which makes 5 hydrations per minute.
  hydrationsPerClient: { burst: 10, perMinute: 6 },
  hydrationsPerTokenAndMinute: 6_000,
  invitedAfterMs: 60_000,
  stalledAfterMs: 10_000,
  commentsEveryMs: 15_000,
};
