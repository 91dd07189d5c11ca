export type StreamLimits = {
  /** The most streams of one process. A client that finds no place polls. */
  streams: number;
  /** Bytes that may wait in the process for one client. A client that reads more slowly is cut off, and resumes by id. */
  bufferedBytes: number;
  /** A larger frame waits for its turn: a few megabytes for each of 10,000 clients at once would fill the memory of the system. */
  largeFrameBytes: number;
  /** Bytes of large frames that may be under way at the same time. */
  largeBytesUnderWay: number;
  /** How long after its rejection a client is invited to stream again, at the earliest. */
  invitedAfterMs: number;
};

const MB = 1_024 * 1_024;

export const STREAM_LIMITS: StreamLimits = {
  streams: 20_000,
  bufferedBytes: MB,
  largeFrameBytes: MB / 4,
  largeBytesUnderWay: 64 * MB,
  invitedAfterMs: 60_000,
};
