export type StreamLimits = {
  /** The maximum number of streams of one process. A client that finds no slot polls. */
  streams: number;
  /** Bytes that may wait in the process for one client. A client that reads more slowly is cut off, and resumes by id. */
  bufferedBytes: number;
  /** A larger frame waits for its turn: a few megabytes for each of 10,000 clients would fill the machine's memory. */
  largeFrameBytes: number;
  /** Bytes of large frames that may be under way at the same time. */
  largeBytesUnderWay: number;
  /** Hydrations of one client, identified by its connection id. A client hydrates once, and again if it lost what it had. */
  hydrationsPerClient: Rate;
  /** Hydrations per minute of all clients of one token. A fleet that starts gets as many immediately as there are streams. */
  hydrationsPerTokenAndMinute: number;
  /** How long after its rejection a client is invited to stream again, at the earliest. */
  invitedAfterMs: number;
  /** A client that reads nothing of a large frame for this long is cut off, so that it does not keep others waiting. */
  stalledAfterMs: number;
  /** Every stream gets a comment within this time. */
  commentsEveryMs: number;
};

/** The size of a burst, and the rate per minute on average. */
type Rate = { burst: number; perMinute: number };

const MB = 1_024 * 1_024;

export const STREAM_LIMITS: StreamLimits = {
  streams: 20_000,
  bufferedBytes: MB,
  largeFrameBytes: MB / 4,
  largeBytesUnderWay: 64 * MB,
  // A client that reads nothing is cut off after 10 s, and returns 2 s later: 5 hydrations per minute.
  hydrationsPerClient: { burst: 10, perMinute: 6 },
  hydrationsPerTokenAndMinute: 6_000,
  invitedAfterMs: 60_000,
  stalledAfterMs: 10_000,
  commentsEveryMs: 15_000,
};
