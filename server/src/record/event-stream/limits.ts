import { ApiError, tooManyRequests } from '../../platform/errors.ts';

export type StreamLimits = { perCaller: number; perServer: number };

export const STREAM_LIMITS: StreamLimits = { perCaller: 50, perServer: 1_000 };

const RETRY_AFTER_SECONDS = 10;

/** Counts the open streams of this server. `take` rejects a stream too many, and returns what releases its place. */
export function makeStreamPlaces({ perCaller, perServer }: StreamLimits): {
  take: (caller: string) => () => void;
} {
  const taken = new Map<string, number>();
  let total = 0;

  const count = (caller: string, by: 1 | -1) => {
    total += by;
    const rest = (taken.get(caller) ?? 0) + by;
    if (rest === 0) taken.delete(caller);
    else taken.set(caller, rest);
  };

  return {
    take: caller => {
      if ((taken.get(caller) ?? 0) >= perCaller) {
        throw tooManyRequests(
          `Too many event streams: this server serves ${perCaller} at once to one caller. Close one, or retry in ${RETRY_AFTER_SECONDS} seconds.`,
          RETRY_AFTER_SECONDS,
        );
      }
      if (total >= perServer) {
        throw unavailable(
          `Too many event streams: this server serves ${perServer.toLocaleString('en')} at once. Retry in ${RETRY_AFTER_SECONDS} seconds, or connect to another server.`,
        );
      }
      count(caller, 1);
      return () => count(caller, -1);
    },
  };
}

export const unavailable = (why: string, retryAfter = RETRY_AFTER_SECONDS): ApiError =>
  new ApiError('ServiceUnavailableError', why, { retryAfter });
